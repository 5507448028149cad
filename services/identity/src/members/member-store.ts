import { randomUUID } from 'node:crypto';
import { AppError, type Role } from '@webkiln/contract';
import { auditEvent, type Caller, Change, type RaisedEvent } from '@webkiln/messages';
import { placedQuota } from '@webkiln/org-policy';
import {
  acrossOrganizations,
  assignPlaces,
  batchedById,
  defineModel,
  definitionOf,
  insertChange,
  isDuplicate,
  placeIndex,
  removeChange,
  runInTransactionOnce,
  type Scope,
  type Stored,
  saveChange,
  scoped,
  type Tenant,
  where,
} from '@webkiln/store';
import { lockOwners } from '../organizations/organization-store.ts';
import { type MemberState, StoredMember } from './member.ts';

export const MemberModel = defineModel<MemberState>(
  'members',
  { ...definitionOf(StoredMember), account_id: { type: String, required: true }, place: { type: Number, default: null } },
  {
    exportedAs: 'members',
    raisesEvents: true,
    indexes: [[{ org_id: 1, account_id: 1 }, { unique: true }], [{ org_id: 1, created_at: -1, _id: 1 }], placeIndex('place')],
    // Finds the organizations of an account at sign-in.
    indexesAcross: [[{ account_id: 1, created_at: 1 }]],
  },
);

export type MemberRecord = Stored<MemberState>;

const byId = batchedById(MemberModel);

/** Null if the organization has no such member. */
export const memberIn = (org_id: string, _id: string): Promise<MemberRecord | null> => byId({ org_id }, _id);

/** An account's memberships in all organizations, oldest first. */
export async function membershipsAcross(account_id: string): Promise<MemberRecord[]> {
  const owners = await acrossOrganizations(MemberModel).owners('_id', 'created_at', { account_id });
  const found = await Promise.all(owners.map(({ org_id, key }) => memberIn(org_id, key)));
  return found.filter((member) => member !== null).sort((a, b) => a.created_at.getTime() - b.created_at.getTime());
}

export const memberQuota = placedQuota('members', (org_id) => ({ model: MemberModel, scope: { org_id }, within: {}, field: 'place' }));

/** Throws `quota_exceeded`, or `member_exists` if the account is a member already. */
export async function insertMember(caller: Caller, state: MemberState): Promise<MemberState> {
  const { org_id } = caller.principal;
  const known = await memberOf(caller, state.account_id);
  if (known?._id === state._id) return known;
  const { kind } = caller.principal;
  // Unless an operator adds it, the person joins by itself, whatever service writes it down.
  const joining = kind === 'service' ? { ...caller, principal: { ...caller.principal, account_id: state.account_id } } : caller;
  const events = [auditEvent(joining, 'member.added', targetOf(state, state.role))];
  try {
    return await memberQuota.insert(org_id, (place) => insertChange(MemberModel, caller, new Change({ ...state, place }, events)));
  } catch (error) {
    if (isDuplicate(error, 'account_id')) throw new AppError('member_exists');
    throw error;
  }
}

/** Gives places to members without one. */
export const assignMemberPlaces = () => assignPlaces(MemberModel, { field: 'place', by: ['org_id'] });

/** Throws `member_not_found`. */
export async function memberById(caller: Caller, _id: string): Promise<MemberRecord> {
  const member = await scoped(MemberModel, caller).findOne({ _id });
  if (member === null) throw new AppError('member_not_found');
  return member;
}

/** Newest first. */
export const allMembers = (caller: Caller): Promise<MemberState[]> =>
  scoped(MemberModel, caller).find({}, { sort: { created_at: -1, _id: 1 } });

/** The account's membership in the caller's organization, or null. */
export const memberOf = (scope: Scope, account_id: string): Promise<MemberRecord | null> =>
  scoped(MemberModel, scope).findOne({ account_id });

/** Which of the accounts are members of the caller's organization. */
export async function accountsOfMembers(scope: Scope, ids: readonly string[]): Promise<string[]> {
  const found = await scoped(MemberModel, scope).find({ account_id: where({ $in: [...ids] }) }, { fields: ['account_id'] });
  return found.map(({ account_id }) => account_id);
}

/** The member as the target of an audit entry. */
const targetOf = ({ account_id }: MemberState, role: Role) => ({ kind: 'account', id: account_id, name: role });

/** True if the organization has no other owner. */
export const isLastOwner = async ({ _id, org_id, role }: MemberRecord): Promise<boolean> =>
  role === 'owner' && (await scoped(MemberModel, { org_id }).count({ role: 'owner', _id: where({ $ne: _id }) }, 1)) === 0;

const changed = ({ account_id }: MemberState): RaisedEvent => ({ type: 'internal.session.changed', data: { account_id } });

/**
 * Runs a change under the organization's lock, since the last two owners may leave concurrently. Throws `last_owner`.
 */
async function keepingAnOwner(caller: Caller, member: MemberRecord, change: (tenant: Tenant) => Promise<unknown>): Promise<void> {
  const { org_id } = caller.principal;
  await runInTransactionOnce(`owners of ${org_id}: ${randomUUID()}`, async (session) => {
    const tenant = { org_id, session };
    await lockOwners(org_id, session);
    const owners = await scoped(MemberModel, tenant).count({ role: 'owner', _id: where({ $ne: member._id }) });
    if (owners === 0) throw new AppError('last_owner');
    await change(tenant);
  });
}

/**
 * Changes a member's role and invalidates cached session introspection results. Throws `last_owner` or
 * `edited_meanwhile`.
 */
export async function saveRole(caller: Caller, member: MemberRecord, role: Role): Promise<void> {
  const save = (scope: Scope) =>
    saveChange(
      MemberModel,
      scope,
      member,
      new Change({ role }, [changed(member), auditEvent(caller, 'member.changed', targetOf(member, role))]),
    );
  await (member.role === 'owner' ? keepingAnOwner(caller, member, save) : save(caller));
}

/**
 * Removes a member and invalidates cached session introspection results. The last owner is kept, unless
 * `mayBeLast`: then an operator decides that. Throws `last_owner` or `edited_meanwhile`.
 */
export async function deleteMember(caller: Caller, member: MemberRecord, mayBeLast = caller.principal.kind === 'operator'): Promise<void> {
  const remove = (scope: Scope) =>
    removeChange(MemberModel, scope, member, [changed(member), auditEvent(caller, 'member.removed', targetOf(member, member.role))]);
  await (member.role === 'owner' && !mayBeLast ? keepingAnOwner(caller, member, remove) : remove(caller));
}
