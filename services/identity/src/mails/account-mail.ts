import { brandedMail, type EmailTemplate, type Mailbox, platformMail } from '@webkiln/mail';
import { accountByEmail } from '../accounts/account-store.ts';
import { toBrand } from '../organizations/organization.ts';
import { type OrganizationRecord, organizationById } from '../organizations/organization-store.ts';
import { membershipsOf } from '../sessions/memberships.ts';

interface Sender {
  readonly from: Mailbox;
  /** The public URL, without a trailing slash. */
  readonly origin: string;
}

/** Renders a mail about an account: in the agency's brand for an agency's client, else in ours. */
export async function accountMail(email: string, template: EmailTemplate, { from, origin }: Sender) {
  const agency = await agencyOf(email);
  return agency === undefined ? platformMail(from, template) : brandedMail(toBrand(agency), from, origin, template);
}

/** The organization of an account that is a client of one organization and has no other membership; else undefined. */
async function agencyOf(email: string): Promise<OrganizationRecord | undefined> {
  const account = await accountByEmail(email);
  if (account === null) return undefined;
  const [only, ...others] = await membershipsOf(account._id);
  if (only?.kind !== 'user' || others.length > 0) return undefined;
  return (await organizationById(only.org_id)) ?? undefined;
}
