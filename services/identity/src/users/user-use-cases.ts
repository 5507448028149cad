import { AppError, Email, Name, validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import * as z from 'zod';
import { claimAccount } from '../accounts/claim-account.ts';
import { assertInternal } from '../authorize.ts';
import { organizationById } from '../organizations/organization-store.ts';
import { Password } from '../sign-in/password.ts';
import { attachUser, saveAccess } from './user-store.ts';

const Activation = z.object({ user_id: z.uuid(), client_id: z.uuid().optional(), email: Email, password: Password, name: Name.optional() });

const suspended = 'The organization that invited you is suspended: the link works again once it is resumed';

const activateUser = handle('identity.ActivateUser', async (request, caller) => {
  assertInternal(caller);
  const { org_id } = caller.principal;
  if (org_id === '') throw new AppError('organization_not_found');
  const { user_id, client_id = null, email, password, name = null } = validate(Activation, request);
  if ((await organizationById(org_id))?.suspended_at) throw new AppError('organization_suspended', [{ path: '', message: suspended }]);
  const account = await claimAccount(caller, { email, name, password });
  const user = await attachUser(caller, { _id: user_id, account_id: account._id, client_id });
  if (user.account_id !== account._id) {
    throw new AppError('validation_failed', [{ path: 'user_id', message: 'belongs to another account' }]);
  }
  return { account_id: account._id };
});

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
