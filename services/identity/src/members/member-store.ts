import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { acrossOrganizations, defineModel, gatheredById, insertChange, isDuplicate, type Stored, scoped } from '@webkiln/store';
import type { MemberState } from './member.ts';

const MemberModel = defineModel<MemberState>(
  'members',
  {
    account_id: { type: String, required: true },
    role: { type: String, required: true },
    created_at: { type: Date, required: true },
  },
  {
    indexes: [[{ org_id: 1, account_id: 1 }, { unique: true }], [{ org_id: 1, created_at: -1, _id: 1 }]],
    // Where somebody who signs in works.
    indexesAcross: [[{ account_id: 1, created_at: 1 }]],
  },
);

export type MemberRecord = Stored<MemberState>;

const byId = gatheredById(MemberModel);

/** Null where the organization has no such member. */
export const memberIn = (org_id: string, _id: string): Promise<MemberRecord | null> => byId({ org_id }, _id);

/** What an account is a member of, oldest first. */
export async function membershipsAcross(account_id: string): Promise<MemberRecord[]> {
  const owners = await acrossOrganizations(MemberModel).owners('_id', 'created_at', { account_id });
  const found = await Promise.all(owners.map(({ org_id, key }) => memberIn(org_id, key)));
  return found.filter((member) => member !== null).sort((a, b) => a.created_at.getTime() - b.created_at.getTime());
}

/** Throws `member_exists` for an account that is a member already. */
export async function insertMember(caller: Caller, state: MemberState): Promise<MemberState> {
  try {
    return await insertChange(MemberModel, caller, { state, events: [] });
  } catch (error) {
    if (isDuplicate(error, 'account_id')) throw new AppError('member_exists');
    throw error;
  }
}

/** Throws `member_not_found`. */
export async function memberById(caller: Caller, _id: string): Promise<MemberState> {
  const member = await scoped(MemberModel, caller).findOne({ _id });
  if (member === null) throw new AppError('member_not_found');
  return member;
}

/** Newest first. */
export const allMembers = (caller: Caller): Promise<MemberState[]> =>
  scoped(MemberModel, caller).find({}, { sort: { created_at: -1, _id: 1 } });

export async function deleteMember(caller: Caller, _id: string): Promise<void> {
  await scoped(MemberModel, caller).deleteOne({ _id });
}
