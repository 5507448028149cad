import { type Caller, handle } from '@webkiln/rpc';
import { emailsOf } from '../accounts/account-store.ts';
import { operatedOrganization } from '../authorize.ts';
import { type KeyState, toKey } from '../keys/key.ts';
import { keysCreatedBy } from '../keys/key-store.ts';
import { revoke } from '../keys/revoke-key.ts';
import { toMember } from './member.ts';
import { deleteMember, type MemberRecord, memberById } from './member-store.ts';

/**
 * Removes a member, whose sessions in the organization are out by that. Gives the keys that he made, revoked where that was asked for. Throws
 * `last_owner`.
 */
export async function dismiss(caller: Caller, member: MemberRecord, revokeKeys: boolean): Promise<KeyState[]> {
  const made = await keysCreatedBy(caller, member._id);
  // Keys first: a removal that is cut short is repeated, and must still find whose they are.
  const keys = revokeKeys ? await Promise.all(made.map(({ _id }) => revoke(caller, _id))) : made;
  await deleteMember(caller, member);
  return keys;
}

export const removeMember = handle('identity.RemoveMember', async ({ member_id, revoke_keys }, caller) => {
  await operatedOrganization(caller);
  const member = await memberById(caller, member_id);
  const keys = await dismiss(caller, member, revoke_keys);
  const emails = await emailsOf([member.account_id]);
  return { member: toMember(member, emails.get(member.account_id) ?? ''), keys: keys.map(toKey) };
});
