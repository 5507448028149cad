import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { type MemberRecord, memberOf } from '../members/member-store.ts';
import { type OrganizationRecord, organizationById } from '../organizations/organization-store.ts';

type Asking = Pick<Caller, 'principal'>;

/** Whose session it is. Throws `session_required` for who is not signed in. */
export function accountOf({ principal }: Asking): string {
  if (principal.kind !== 'session' || principal.account_id === undefined) throw new AppError('session_required');
  return principal.account_id;
}

/** The organization that the session is in. Throws `organization_not_found`. */
export async function ownOrganization({ principal }: Asking): Promise<OrganizationRecord> {
  const organization = await organizationById(principal.org_id);
  if (organization === null) throw new AppError('organization_not_found');
  return organization;
}

/** Who asks, as the member that he is. Throws `member_not_found`. */
export async function askingMember(caller: Caller): Promise<MemberRecord> {
  const member = await memberOf(caller, accountOf(caller));
  if (member === null) throw new AppError('member_not_found');
  return member;
}
