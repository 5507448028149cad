import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { type MemberRecord, memberOf } from './members/member-store.ts';
import { type OrganizationRecord, organizationById } from './organizations/organization-store.ts';

type PrincipalOnly = Pick<Caller, 'principal'>;

/** Only operators manage every organization: an API key that could create keys would outlive its own revocation. */
export function assertOperator({ principal }: PrincipalOnly): void {
  if (principal.kind !== 'operator') throw new AppError('permission_missing');
}

/** For calls between services, which no API key or session may make. */
export function assertInternal({ principal }: PrincipalOnly): void {
  if (principal.kind !== 'service' && principal.kind !== 'operator') throw new AppError('permission_missing');
}

/** The organization that the call is for. Throws `organization_not_found`. */
export async function currentOrganization({ principal }: PrincipalOnly): Promise<OrganizationRecord> {
  const organization = await organizationById(principal.org_id);
  if (organization === null) throw new AppError('organization_not_found');
  return organization;
}

/**
 * Limits a use case to operators that name an existing organization. Throws `permission_missing` or
 * `organization_not_found`.
 */
export const forOperators =
  <Request, C extends PrincipalOnly, Reply>(run: (request: Request, caller: C) => Promise<Reply>) =>
  async (request: Request, caller: C): Promise<Reply> => {
    assertOperator(caller);
    await currentOrganization(caller);
    return run(request, caller);
  };

/** The account of the caller's session. Throws `session_required` for callers without a session. */
export function currentAccountId({ principal }: PrincipalOnly): string {
  if (principal.kind !== 'session' || principal.account_id === undefined) throw new AppError('session_required');
  return principal.account_id;
}

/** The member whose session makes the call. Throws `session_required` or `member_not_found`. */
export async function currentMember(caller: Caller): Promise<MemberRecord> {
  const member = await memberOf(caller, currentAccountId(caller));
  if (member === null) throw new AppError('member_not_found');
  return member;
}
