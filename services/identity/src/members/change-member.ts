import { AppError, type Role } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { accountById } from '../accounts/account-store.ts';
import { currentMember } from '../authorize.ts';
import { assertMayManage, toMember } from './member.ts';
import { saveRole } from './member-changes.ts';
import { memberById } from './member-store.ts';

export const changeMember = handle('accounts.ChangeMember', async (request, caller) => {
  const actor = await currentMember(caller);
  const member = await memberById(caller, request.member_id);
  const { role = member.role } = maskedFields<{ role: Role }>(request);
  if (role === null) throw new AppError('validation_failed', [{ path: 'role', message: 'is required' }]);
  assertMayManage(actor, [member.role, role]);
  if (role !== member.role) await saveRole(caller, member, role);
  return { member: toMember({ ...member, role }, await accountById(member.account_id)) };
});
