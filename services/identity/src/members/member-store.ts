import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { defineModel, insertChange, isDuplicate, scoped } from '@webkiln/store';
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
  },
);

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
