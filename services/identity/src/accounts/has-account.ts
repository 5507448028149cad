import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { isVerified } from './account.ts';
import { accountByEmail } from './account-store.ts';

export const hasAccount = handle('identity.HasAccount', async ({ email }, caller) => {
  assertInternal(caller);
  const account = await accountByEmail(email);
  return { exists: account !== null && account.password_hash !== null && isVerified(account) };
});
