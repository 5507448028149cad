import { AppError, type Role } from '@webkiln/contract';
import { auditEvent, type Caller, Change } from '@webkiln/messages';
import { placedQuota } from '@webkiln/standing';
import {
  acrossOrganizations,
  assignPlaces,
  batchedById,
  defineModel,
  definitionOf,
  insertChange,
  isDuplicate,
  placeIndex,
  type Scope,
  type Stored,
  scoped,
} from '@webkiln/store';
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
  const events = [auditEvent(caller, 'member.added', targetOf(state, state.role))];
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

/** The member as the target of an audit entry. */
export const targetOf = ({ account_id }: MemberState, role: Role) => ({ kind: 'account', id: account_id, name: role });
