import { AppError, type Role, validate } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { handle, maskedFields } from '@webkiln/rpc';
import { newId, saveWithRetry } from '@webkiln/store';
import { isVerified } from '../accounts/account.ts';
import { type Account, accountById, accountsById, findOrCreateAccount, saveAccount } from '../accounts/account-store.ts';
import { assertInternal, currentActor, currentOrganization, forOperators } from '../authorize.ts';
import { keyById, keysById } from '../keys/key-store.ts';
import { hashPassword, passwordMatches } from '../sign-in/password.ts';
import { accountsOfUsers } from '../users/user-store.ts';
import { assertMayManage, NewMember, toMember } from './member.ts';
import { accountsOfMembers, allMembers, insertMember, memberById, memberOf, saveRole } from './member-store.ts';
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
  const actor = await currentActor(caller);
  const member = await memberById(caller, request.member_id);
  const { role = member.role } = maskedFields<{ role: Role }>(request);
  if (role === null) throw new AppError('validation_failed', [{ path: 'role', message: 'is required' }]);
  assertMayManage(actor, [member.role, role]);
  if (role !== member.role) await saveRole(caller, member, role);
  return { member: toMember({ ...member, role }, await accountById(member.account_id)) };
});

/** An operator's; the last owner stays one. */
const changeMemberRole = handle(
  'identity.ChangeMemberRole',
  forOperators(async (request, caller) => {
    const { role } = validate(NewMember.pick({ role: true }), request);
    const member = await memberById(caller, request.member_id);
    if (role !== member.role) await saveRole(caller, member, role);
    return { member: toMember({ ...member, role }, await accountById(member.account_id)) };
  }),
);

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

const addMember = handle(
  'identity.AddMember',
  forOperators(async (request, caller) => {
    const { email, role, password } = validate(NewMember, request);
    const account = await accountWithPassword(caller, email, password);
    const member = await insertMember(caller, { _id: newId(caller, 'member'), account_id: account._id, role, created_at: new Date() });
    return { member: toMember(member, account) };
  }),
);

/** Finds or creates the account. An account that has a password keeps it. */
const accountWithPassword = (caller: Caller, email: string, password: string | undefined): Promise<Account> =>
  saveWithRetry(caller, async () => {
    const account = await findOrCreateAccount(caller, email, null);
    if (password === undefined) return account;
    if (account.password_hash === null || !isVerified(account)) {
      return saveAccount(caller, account, { password_hash: await hashPassword(password), email_verified: true });
    }
    // The same password again: the retry of an attempt that ended before it added the member.
    if (await passwordMatches(password, account.password_hash)) return account;
    throw new AppError('validation_failed', [{ path: 'password', message: 'cannot be set: this person has one already' }]);
  });

export const memberUseCases = [addMember, ...listMembers, changeMember, changeMemberRole, ...removeMember, getActingMember, nameAuthors];
