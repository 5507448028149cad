import { Email, type Role, roles } from '@webkiln/contract';
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
