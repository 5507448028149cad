import { APIError } from 'better-auth/api';
import { accountById } from '../../accounts/account-store.ts';
import { createSignupOrganization } from '../../organizations/create-signup-organization.ts';
import { organizationById } from '../../organizations/organization-store.ts';
import { membershipsOf } from '../../sessions/memberships.ts';
import { type ActiveMembership, activeMembershipOf, type Membership, noOrganization } from '../../sessions/session.ts';

interface NewSession extends ActiveMembership {
  readonly account_id: string;
}

async function accessPaused({ org_id }: Membership): Promise<APIError> {
  const organization = await organizationById(org_id);
  const message = `Your access is paused. Ask ${organization?.name ?? 'your agency'}.`;
  return new APIError('FORBIDDEN', { code: 'ACCESS_PAUSED', message });
}

/**
 * The organization of a new session: that of the session it replaces, else the first that the account has access to.
 * Throws `ACCESS_PAUSED` if every membership belongs to a client that is suspended or has left.
 */
export async function initialMembership({ account_id, org_id, membership_kind, membership_id }: NewSession): Promise<ActiveMembership> {
  if (typeof org_id === 'string' && org_id !== '') return { org_id, membership_kind, membership_id };
  const account = await accountById(account_id);
  if (account !== null) await createSignupOrganization(account);
  const memberships = await membershipsOf(account_id);
  const open = memberships.find(({ paused }) => !paused);
  if (open !== undefined) return activeMembershipOf(open);
  const [paused] = memberships;
  if (paused !== undefined) throw await accessPaused(paused);
  return noOrganization;
}
