import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { attachUser } from './user-store.ts';

export const attachAccount = handle('identity.AttachAccount', async ({ user_id, client_id, account_id }, caller) => {
  assertInternal(caller);
  const user = await attachUser(caller, { _id: user_id, account_id, client_id });
  if (user.account_id !== account_id) {
    throw new AppError('validation_failed', [
      { path: 'organization', message: 'has a client with your email whose account is another one' },
    ]);
  }
  return {};
});
