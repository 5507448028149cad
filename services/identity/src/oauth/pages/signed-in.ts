import type { IncomingMessage } from 'node:http';
import { sessionDigest } from '@webkiln/contract';
import { type Account, accountById } from '../../accounts/account-store.ts';
import type { KeyHash } from '../../keys/key-secret.ts';
import { organizationsById } from '../../organizations/organization-store.ts';
import { openMembershipsOf } from '../../sessions/memberships.ts';
import type { Membership } from '../../sessions/session.ts';
import { sessionsByHash } from '../../sessions/session-store.ts';
import type { ConsentChoice } from './consent-page.ts';

/** The account of the session cookie, which is the dashboard's; undefined if nobody is signed in. */
export async function signedInAccount({ headers }: IncomingMessage, hashOf: KeyHash): Promise<Account | undefined> {
  const digest = sessionDigest(headers.cookie);
  if (digest === undefined) return undefined;
  const [session] = (await sessionsByHash(hashOf.all(digest))).values();
  const account = session === undefined ? null : await accountById(session.account_id);
  return account === null || account.locked_at || account.deleted_at ? undefined : account;
}

/** A membership, and how the consent page shows it. */
export interface OpenMembership extends Membership {
  readonly choice: ConsentChoice;
}

/** The memberships that a client may be connected to. */
export async function connectable(account_id: string): Promise<OpenMembership[]> {
  const memberships = await openMembershipsOf(account_id);
  const organizations = await organizationsById(memberships.map(({ org_id }) => org_id));
  return memberships.flatMap((membership) => {
    const organization = organizations.get(membership.org_id);
    if (organization === undefined) return [];
    return [{ ...membership, choice: { id: membership.id, organization: organization.name, role: membership.role } }];
  });
}
