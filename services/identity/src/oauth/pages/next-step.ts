import type { IncomingMessage } from 'node:http';
import { sessionDigest } from '@webkiln/contract';
import { where } from '@webkiln/store';
import { type Account, accountById } from '../../accounts/account-store.ts';
import type { KeyHash } from '../../keys/key-secret.ts';
import { organizationsById } from '../../organizations/organization-store.ts';
import { openMembershipsOf } from '../../sessions/memberships.ts';
import type { Membership } from '../../sessions/session.ts';
import { sessionsByHash } from '../../sessions/session-store.ts';
import { keepClient, noteDeciding } from '../store/client-store.ts';
import { connect, connectionsWith, isConnected } from '../store/connection-store.ts';
import { hasLiveGrant, insertGrant, revokeGrant, revokeGrants } from '../store/grant-store.ts';
import { type AuthorizationRequest, isRemembered } from './authorization-request.ts';
import { type ConsentChoice, consentPage, continuePage, noOrganizationPage } from './consent-page.ts';
import type { Page } from './page.ts';
import type { Reach } from './reach-field.ts';
import { codePage, type FormState, signInPage } from './sign-in-pages.ts';

interface Situation {
  readonly request: IncomingMessage;
  readonly asked: AuthorizationRequest;
  readonly hashOf: KeyHash;
  readonly form: FormState;
  /** True if the password was right and the second factor is missing. */
  readonly needsCode: boolean;
  /** The address that the person entered before. */
  readonly email: string | undefined;
}

/** The next page of an authorization request. */
export async function nextStep({ request, asked, hashOf, form, needsCode, email }: Situation): Promise<Page> {
  const { clientName: client, redirectUri, documentHost } = asked;
  const account = await signedInAccount(request, hashOf);
  if (account === undefined) return needsCode ? codePage(client, form) : signInPage(client, form, email);
  const [memberships, connections] = await Promise.all([connectable(account._id), connectionsWith(account._id, asked.clientId)]);
  if (memberships.length === 0) return noOrganizationPage(client, account.email, form);
  const [connection] = connections;
  const again = memberships.find(({ org_id }) => org_id === connection?.org_id);
  if (request.method === 'GET' && connections.length === 1 && connection !== undefined && again !== undefined) {
    // A link of somebody else may have opened this page, so even then it takes a click.
    const isKnown = isRemembered(asked, connection) && (await hasLiveGrant(connection._id));
    if (isKnown) return continuePage({ client, redirectUri, email: account.email, choice: again.choice, scopes: asked.scopes }, form);
  }
  if (documentHost === undefined) await noteDeciding(asked.clientId);
  const shown = {
    client,
    redirectUri,
    scopes: asked.scopes,
    ...(documentHost !== undefined && { documentHost }),
    ...(again !== undefined && { chosen: again.id, reach: reachOf(connection) }),
  };
  return consentPage({ ...shown, email: account.email, choices: memberships.map(({ choice }) => choice) }, form);
}

/** The account of the session cookie, which is the dashboard's; undefined if nobody is signed in. */
export async function signedInAccount({ headers }: IncomingMessage, hashOf: KeyHash): Promise<Account | undefined> {
  const digest = sessionDigest(headers.cookie);
  if (digest === undefined) return undefined;
  const [session] = (await sessionsByHash(hashOf.all(digest))).values();
  const account = session === undefined ? null : await accountById(session.account_id);
  return account === null || account.locked_at || account.deleted_at ? undefined : account;
}

/** A membership, and how the consent page shows it. */
interface OpenMembership extends Membership {
  readonly choice: ConsentChoice;
}

/** The memberships that a client may be connected to. */
export async function connectable(account_id: string): Promise<OpenMembership[]> {
  const memberships = await openMembershipsOf(account_id);
  const organizations = await organizationsById(memberships.map(({ org_id }) => org_id));
  return memberships.flatMap((membership) => {
    const organization = organizations.get(membership.org_id);
    if (organization === undefined) return [];
    return [
      {
        ...membership,
        choice: { id: membership.id, organization: organization.name, organizationId: organization._id, role: membership.role },
      },
    ];
  });
}

/** What the person allows in the organization. */
interface Extent extends Reach {
  readonly scopes: readonly string[];
}

function reachOf({ project_id, limited_client_id }: Partial<Reach> = {}): 'project' | 'client' | 'all' {
  if (project_id) return 'project';
  return limited_client_id ? 'client' : 'all';
}

/**
 * Records the person's consent and returns the id of the grant that the client's tokens will belong to. Undefined if
 * the client's registration is gone.
 */
export async function allow(
  { asked, request, hashOf }: Pick<Situation, 'asked' | 'request' | 'hashOf'>,
  account_id: string,
  membership: Pick<OpenMembership, 'org_id' | 'kind' | 'id'>,
  { scopes, project_id, limited_client_id }: Extent,
): Promise<string | undefined> {
  const { clientId, clientName, redirectUri, documentHost, resources } = asked;
  const hasDocument = documentHost !== undefined;
  // First, so that it is not deleted as an unused one meanwhile.
  if (!hasDocument && !(await keepClient(clientId))) return undefined;
  const client = {
    account_id,
    client_id: clientId,
    client_name: clientName,
    org_id: membership.org_id,
    scopes: [...scopes],
    project_id,
    limited_client_id,
  };
  const connection_id = (await connect({ ...client, redirect_uri: redirectUri }))._id;
  const grant = { ...client, connection_id, membership_kind: membership.kind, membership_id: membership.id, resources: [...resources] };
  // The list of agents says one reach: what was allowed beyond it ends.
  if (project_id !== null || limited_client_id !== null) {
    await revokeGrants({ connection_id, project_id: where({ $ne: project_id }) });
    await revokeGrants({ connection_id, limited_client_id: where({ $ne: limited_client_id }) });
  }
  const { _id } = await insertGrant(grant);
  // Disconnected or signed out meanwhile: either this check sees it, or what ended the access sees this grant.
  if (!(await isConnected(connection_id)) || (await signedInAccount(request, hashOf))?._id !== account_id) await revokeGrant(_id);
  return _id;
}
