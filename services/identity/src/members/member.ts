import { AppError, createProjection, Email, Member, type Role, roles, type StateOf, withDates } from '@webkiln/contract';
import * as z from 'zod';
import type { AccountState } from '../accounts/account.ts';
import { Password } from '../sign-in/password.ts';

/** Public fields that the member's account stores. */
const accountFields = { email: true, name: true } as const;
const DatedMember = withDates(Member);
export const StoredMember = DatedMember.omit(accountFields);

/** A person who works in an organization. */
export interface MemberState extends StateOf<typeof StoredMember> {
  account_id: string;
  /** Its place in the organization's quota. */
  place?: number | null;
}

export const NewMember = z.object({
  email: Email,
  role: z.enum(roles, { error: `must be one of ${roles.join(', ')}` }),
  password: Password.optional(),
});

const memberWithoutAccount = createProjection(DatedMember, accountFields);

/** The public record, for members and operators. */
export const toMember = (member: MemberState, account: Pick<AccountState, 'email' | 'name'> | null | undefined) => ({
  ...memberWithoutAccount(member),
  email: account?.email ?? '',
  name: account?.name,
});

/** Only owners add, change and remove owners. `concerned` are the member's present and wanted roles. */
export const mayManage = ({ role }: Pick<MemberState, 'role'>, concerned: readonly Role[]): boolean =>
  role === 'owner' || !concerned.includes('owner');

/** Throws `role_missing` unless `actor` may manage members with these roles. */
export function assertMayManage(actor: Pick<MemberState, 'role'>, concerned: readonly Role[]): void {
  if (!mayManage(actor, concerned)) throw new AppError('role_missing');
}
