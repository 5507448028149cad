import { AppError, type Role } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { handle, maskedFields } from '@webkiln/rpc';
import { accountById, accountsById } from '../accounts/account-store.ts';
import { assertInternal, currentMember, currentOrganization } from '../authorize.ts';
import { keyById, keysById } from '../keys/key-store.ts';
import { accountsOfUsers } from '../users/user-store.ts';
import { addMember } from './add-member.ts';
import { assertMayManage, toMember } from './member.ts';
import { accountsOfMembers, allMembers, memberById, memberOf, saveRole } from './member-store.ts';
import { removeMember } from './remove-member.ts';

const list = async (_request: unknown, caller: Caller) => {
  const members = await allMembers(caller);
  const accounts = await accountsById(members.map(({ account_id }) => account_id));
  return { members: members.map((member) => toMember(member, accounts.get(member.account_id))), total: members.length };
};

const listMembers = [
  handle('identity.ListMembers', async (request, caller) => {
    assertInternal(caller);
    await currentOrganization(caller);
    return list(request, caller);
  }),
  handle('accounts.ListMembers', list),
];

const changeMember = handle('accounts.ChangeMember', async (request, caller) => {
  const actor = await currentMember(caller);
  const member = await memberById(caller, request.member_id);
  const { role = member.role } = maskedFields<{ role: Role }>(request);
  if (role === null) throw new AppError('validation_failed', [{ path: 'role', message: 'is required' }]);
  assertMayManage(actor, [member.role, role]);
  if (role !== member.role) await saveRole(caller, member, role);
  return { member: toMember({ ...member, role }, await accountById(member.account_id)) };
});

/** A rotation makes another key, so a key was shown to its rotator, or to its creator if it is a first one. */
const getActingMember = handle('identity.GetActingMember', async ({ account_id, key_id }, caller) => {
  assertInternal(caller);
  if (account_id !== undefined) return { member_id: (await memberOf(caller, account_id))?._id };
  if (key_id === undefined) return {};
  const { rotated_by, created_by } = await keyById(caller, key_id);
  return { member_id: rotated_by ?? created_by ?? undefined };
});

/** People who have left the organization are left out, as are other organizations' keys. */
const nameAuthors = handle('identity.NameAuthors', async ({ account_ids, key_ids }, caller) => {
  assertInternal(caller);
  const belonging = (await Promise.all([accountsOfMembers(caller, account_ids), accountsOfUsers(caller, account_ids)])).flat();
  const [accounts, keys] = await Promise.all([accountsById(belonging), keysById(caller, key_ids)]);
  return {
    names: [
      ...[...accounts].map(([id, { name, email }]) => ({ id, name: name || email })),
      ...[...keys].map(([id, { name }]) => ({ id, name })),
    ],
  };
});

export const memberUseCases = [addMember, ...listMembers, changeMember, ...removeMember, getActingMember, nameAuthors];
