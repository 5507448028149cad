import { AppError, Email, type Role, roles } from '@webkiln/contract';
import * as z from 'zod';
import type { AccountState } from '../accounts/account.ts';
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

/** The public record, for members and operators. */
export const toMember = ({ _id, role, created_at }: MemberState, account: Pick<AccountState, 'email' | 'name'> | null | undefined) => ({
  id: _id,
  email: account?.email ?? '',
  name: account?.name,
  role,
  created_at: created_at.toISOString(),
});

/**
 * Only owners add, change and remove owners. `concerned` are the member's present and wanted roles. Throws
 * `role_missing`.
 */
export function assertMayManage({ role }: Pick<MemberState, 'role'>, concerned: readonly Role[]): void {
  if (role !== 'owner' && concerned.includes('owner')) throw new AppError('role_missing');
}
