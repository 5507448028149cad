import { keepClient } from '../store/client-store.ts';
import { connect, isConnected } from '../store/connection-store.ts';
import { insertGrant, revokeGrant } from '../store/grant-store.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { OpenMembership } from './signed-in.ts';

/**
 * Records the person's consent and returns the id of the grant that the client's tokens will belong to. Undefined if
 * the client's registration is gone.
 */
export async function allow(
  { clientId, clientName, redirectUri, documentHost, resources }: AuthorizationRequest,
  account_id: string,
  membership: Pick<OpenMembership, 'org_id' | 'kind' | 'id'>,
  connectionId?: string,
): Promise<string | undefined> {
  const hasDocument = documentHost !== undefined;
  // First, so that it is not deleted as an unused one meanwhile.
  if (!hasDocument && !(await keepClient(clientId))) return undefined;
  const client = { account_id, client_id: clientId, client_name: clientName, org_id: membership.org_id };
  const connection_id = connectionId ?? (await connect({ ...client, redirect_uri: redirectUri }))._id;
  const grant = { ...client, connection_id, membership_kind: membership.kind, membership_id: membership.id, resources: [...resources] };
  const { _id } = await insertGrant(grant);
  // Disconnected meanwhile: either this check sees it, or the disconnection sees this grant.
  if (!(await isConnected(connection_id))) await revokeGrant(_id);
  return _id;
}
