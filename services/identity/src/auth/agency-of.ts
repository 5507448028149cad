import { accountByEmail } from '../accounts/account-store.ts';
import { type OrganizationRecord, organizationById } from '../organizations/organization-store.ts';
import { membershipsOf } from '../sessions/memberships.ts';

/** The one organization that somebody is a client of who is nothing else anywhere; undefined for anybody else. */
export async function agencyOf(email: string): Promise<OrganizationRecord | undefined> {
  const account = await accountByEmail(email);
  if (account === null) return undefined;
  const [only, ...others] = await membershipsOf(account._id);
  if (only?.kind !== 'user' || others.length > 0) return undefined;
  return (await organizationById(only.org_id)) ?? undefined;
}
