import { AppError, Email, type Role, roles } from '@webkiln/contract';
import * as z from 'zod';
import { Password } from '../accounts/password.ts';

/** A person who works in an organization. */
export interface MemberState {
  _id: string;
  account_id: string;
  role: Role;
  created_at: Date;
}

export const NewMember = z.object({
  email: Email,
  role: z.enum(roles, { error: `must be one of ${roles.join(', ')}` }),
  password: Password.optional(),
});

export const toMember = (member: MemberState, email: string) => ({
  id: member._id,
  email,
  role: member.role,
  created_at: member.created_at.toISOString(),
});

/** Owners are made, changed and removed by owners alone. Throws `role_missing`. `concerned`: the roles that somebody has and is to have. */
export function assertMayManage({ role }: Pick<MemberState, 'role'>, concerned: readonly Role[]): void {
  if (role !== 'owner' && concerned.includes('owner')) throw new AppError('role_missing');
}
