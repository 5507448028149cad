import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { passkeysOf } from '../passkeys/passkey-store.ts';
import { userIn } from '../users/user-store.ts';
import { isVerified } from './account.ts';
import { accountByEmail, accountById } from './account-store.ts';

export const hasAccount = handle('identity.HasAccount', async ({ email, user_id }, caller) => {
  assertInternal(caller);
  const account = await accountByEmail(email);
  return {
    exists: account !== null && account.password_hash !== null && isVerified(account),
    activated: user_id !== undefined && (await isActivated(caller.principal.org_id, user_id)),
  };
});

/** True if the user can sign in. */
async function isActivated(org_id: string, user_id: string): Promise<boolean> {
  const user = await userIn(org_id, user_id);
  const account = user === null ? null : await accountById(user.account_id);
  if (account === null) return false;
  return account.password_hash !== null || (await passkeysOf(account._id)).length > 0;
}
