import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { accountById } from '../accounts/account-store.ts';
import { currentMember, forOperators } from '../authorize.ts';
import { assertMayManageKey, toKey } from '../keys/key.ts';
import { keysKnownTo } from '../keys/key-store.ts';
import { revoke } from '../keys/revoke-key.ts';
import { revokeGrants } from '../oauth/store/grant-store.ts';
import { assertMayManage, toMember } from './member.ts';
import { deleteMember, type MemberRecord, memberById } from './member-store.ts';

/**
 * Removes a member, which also ends the access of its sessions and agents to the organization. Returns the keys that
 * the member created or rotated, revoked if `revokeKeys`. Throws `last_owner`, and `role_missing` if `actor` may not
 * revoke them.
 */
export async function remove(
  caller: Caller,
  member: MemberRecord,
  { revokeKeys, actor, mayBeLast }: { revokeKeys: boolean; actor?: MemberRecord; mayBeLast?: boolean },
) {
  const known = await keysKnownTo(caller, member._id);
  if (revokeKeys && actor !== undefined) for (const key of known) assertMayManageKey(actor, key);
  // Keys come first: a retry after a crash must still find the member's keys.
  const keys = revokeKeys ? await Promise.all(known.map(({ _id }) => revoke(caller, _id))) : known;
  await deleteMember(caller, member, mayBeLast);
  // They give no access any more; after an interruption they are left to expire.
  await revokeGrants({ account_id: member.account_id, org_id: member.org_id });
  return keys.map(toKey);
}

export const removeMember = [
  handle(
    'identity.RemoveMember',
    forOperators(async ({ member_id, revoke_keys }, caller) => {
      const member = await memberById(caller, member_id);
      const keys = await remove(caller, member, { revokeKeys: revoke_keys });
      return { member: toMember(member, await accountById(member.account_id)), keys };
    }),
  ),
  handle('accounts.RemoveMember', async ({ member_id, revoke_keys }, caller) => {
    const member = await memberById(caller, member_id);
    const actor = await currentMember(caller);
    assertMayManage(actor, [member.role]);
    return { deleted: true, id: member_id, keys: await remove(caller, member, { revokeKeys: revoke_keys, actor }) };
  }),
];
