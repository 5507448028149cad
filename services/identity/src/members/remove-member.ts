import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { accountById } from '../accounts/account-store.ts';
import { currentMember, forOperators } from '../authorize.ts';
import { toKey } from '../keys/key.ts';
import { keysCreatedBy } from '../keys/key-store.ts';
import { revoke } from '../keys/revoke-key.ts';
import { assertMayManage, toMember } from './member.ts';
import { deleteMember, type MemberRecord, memberById } from './member-store.ts';

/**
 * Removes a member, which also ends the access of its sessions to the organization. Returns the keys that the member
 * created, revoked if `revokeKeys`. Throws `last_owner`.
 */
async function remove(caller: Caller, member: MemberRecord, revokeKeys: boolean) {
  const created = await keysCreatedBy(caller, member._id);
  // Keys come first: a retry after a crash must still find the member's keys.
  const keys = revokeKeys ? await Promise.all(created.map(({ _id }) => revoke(caller, _id))) : created;
  await deleteMember(caller, member);
  return keys.map(toKey);
}

export const removeMember = [
  handle(
    'identity.RemoveMember',
    forOperators(async ({ member_id, revoke_keys }, caller) => {
      const member = await memberById(caller, member_id);
      const keys = await remove(caller, member, revoke_keys);
      return { member: toMember(member, await accountById(member.account_id)), keys };
    }),
  ),
  handle('accounts.RemoveMember', async ({ member_id, revoke_keys }, caller) => {
    const member = await memberById(caller, member_id);
    assertMayManage(await currentMember(caller), [member.role]);
    return { deleted: true, id: member_id, keys: await remove(caller, member, revoke_keys) };
  }),
];
