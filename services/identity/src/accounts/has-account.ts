import { handle } from '@webkiln/rpc';
import { assertInternal, currentOrganization } from '../authorize.ts';
import { memberOf } from '../members/member-store.ts';
import { passkeysOf } from '../passkeys/passkey-store.ts';
import { userIn } from '../users/user-store.ts';
import { isVerified } from './account.ts';
import { type Account, accountByEmail, accountById } from './account-store.ts';

export const hasAccount = handle('identity.HasAccount', async ({ email, user_id }, caller) => {
  assertInternal(caller);
  const account = await accountByEmail(email);
  const { org_id } = caller.principal;
  const isUser = user_id !== undefined && (await isActivated(org_id, user_id));
  return {
    exists: account !== null && account.password_hash !== null && isVerified(account),
    activated: isUser || (await isMemberOf(org_id, account)),
  };
});

/** A member's verified address, with the organization's name: the organization may be its own client by it. */
export const getMemberAddress = handle('identity.GetMemberAddress', async ({ email }, caller) => {
  assertInternal(caller);
  const [organization, account] = await Promise.all([currentOrganization(caller), accountByEmail(email)]);
  const isMembers = await isMemberOf(organization._id, account);
  return { email: isMembers ? account?.email : undefined, organization_name: organization.name };
});

const isMemberOf = async (org_id: string, account: Account | null): Promise<boolean> =>
  account !== null && isVerified(account) && (await memberOf({ org_id }, account._id)) !== null;

/** True if the user can sign in. */
async function isActivated(org_id: string, user_id: string): Promise<boolean> {
  const user = await userIn(org_id, user_id);
  const account = user === null ? null : await accountById(user.account_id);
  if (account === null) return false;
  return account.password_hash !== null || (await passkeysOf(account._id)).length > 0;
}
