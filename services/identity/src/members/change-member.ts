import { AppError, type Role } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { accountById } from '../accounts/account-store.ts';
import { assertMayManage } from '../members/member.ts';
import { memberById, saveRole } from '../members/member-store.ts';
import { toShownMember } from './shown-member.ts';
import { askingMember } from './signed-in.ts';

export const changeMember = handle('accounts.ChangeMember', async (request, caller) => {
  const asking = await askingMember(caller);
  const member = await memberById(caller, request.member_id);
  const { role = member.role } = maskedFields<{ role: Role }>(request);
  if (role === null) throw new AppError('validation_failed', [{ path: 'role', message: 'is required' }]);
  assertMayManage(asking, [member.role, role]);
  if (role !== member.role) await saveRole(caller, member, role);
  return { member: toShownMember({ ...member, role }, await accountById(member.account_id)) };
});
