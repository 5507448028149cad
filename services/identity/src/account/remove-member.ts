import { handle } from '@webkiln/rpc';
import { toKey } from '../keys/key.ts';
import { assertMayManage } from '../members/member.ts';
import { memberById } from '../members/member-store.ts';
import { dismiss } from '../members/remove-member.ts';
import { askingMember } from './signed-in.ts';

export const removeMember = handle('accounts.RemoveMember', async ({ member_id, revoke_keys }, caller) => {
  const member = await memberById(caller, member_id);
  assertMayManage(await askingMember(caller), [member.role]);
  const keys = await dismiss(caller, member, revoke_keys);
  return { deleted: true, id: member_id, keys: keys.map(toKey) };
});
