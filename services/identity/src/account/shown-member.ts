import type { AccountState } from '../accounts/account.ts';
import type { MemberState } from '../members/member.ts';

/** The REST shape. */
export const toShownMember = ({ _id, role, created_at }: MemberState, account: AccountState | null | undefined) => ({
  id: _id,
  email: account?.email ?? '',
  name: account?.name,
  role,
  created_at: created_at.toISOString(),
});
