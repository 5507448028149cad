import { brandedMail, type Letter, type Mailbox, platformMail } from '@webkiln/mail';
import { accountByEmail } from '../accounts/account-store.ts';
import { toBrand } from '../organizations/organization.ts';
import { type OrganizationRecord, organizationById } from '../organizations/organization-store.ts';
import { membershipsOf } from '../sessions/memberships.ts';

interface Parts {
  readonly from: Mailbox;
  /** The public address, without a slash at its end. */
  readonly origin: string;
}

/** What a mail about somebody's account looks like: a client hears from the agency that it is a client of, anybody else from us. */
export async function accountMail(email: string, letter: Letter, { from, origin }: Parts) {
  const agency = await agencyOf(email);
  return agency === undefined ? platformMail(from, letter) : brandedMail(toBrand(agency), from, origin, letter);
}

/** The one organization that somebody is a client of who is nothing else anywhere; undefined for anybody else. */
async function agencyOf(email: string): Promise<OrganizationRecord | undefined> {
  const account = await accountByEmail(email);
  if (account === null) return undefined;
  const [only, ...others] = await membershipsOf(account._id);
  if (only?.kind !== 'user' || others.length > 0) return undefined;
  return (await organizationById(only.org_id)) ?? undefined;
}
