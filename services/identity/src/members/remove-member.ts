import { handle } from '@webkiln/rpc';
import { emailsOf } from '../accounts/account-store.ts';
import { operatedOrganization } from '../authorize.ts';
import { toKey } from '../keys/key.ts';
import { keysCreatedBy } from '../keys/key-store.ts';
import { revoke } from '../keys/revoke-key.ts';
import { toMember } from './member.ts';
import { deleteMember, memberById } from './member-store.ts';

export const removeMember = handle('identity.RemoveMember', async ({ member_id, revoke_keys }, caller) => {
  await operatedOrganization(caller);
  const member = await memberById(caller, member_id);
  const made = await keysCreatedBy(caller, member_id);
  // Keys first: a removal that is cut short is repeated, and must still find whose they are.
  const keys = revoke_keys ? await Promise.all(made.map(({ _id }) => revoke(caller, _id))) : made;
  await deleteMember(caller, member_id);
  const emails = await emailsOf([member.account_id]);
  return { member: toMember(member, emails.get(member.account_id) ?? ''), keys: keys.map(toKey) };
});
