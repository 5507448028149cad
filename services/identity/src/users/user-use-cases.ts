import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { activateUser } from './activate-user.ts';
import { attachUser, saveAccess } from './user-store.ts';

const attachAccount = handle('identity.AttachAccount', async ({ user_id, client_id, account_id }, caller) => {
  assertInternal(caller);
  const user = await attachUser(caller, { _id: user_id, account_id, client_id });
  if (user.account_id !== account_id) {
    throw new AppError('validation_failed', [
      { path: 'organization', message: 'has a client with your email whose account is another one' },
    ]);
  }
  return {};
});

const setUserAccess = handle('identity.SetUserAccess', async ({ user_id, paused, client_revision, joined_by_link }, caller) => {
  assertInternal(caller);
  if (caller.principal.org_id === '') throw new AppError('organization_not_found');
  await saveAccess(caller, { _id: user_id, paused, client_revision, joined_by_link });
  return {};
});

export const userUseCases = [activateUser, attachAccount, setUserAccess];
