import { handle } from '@webkiln/rpc';
import { currentAccountId } from '../../authorize.ts';
import { organizationsById } from '../../organizations/organization-store.ts';
import { redirectHost } from '../clients/redirect-uri.ts';
import { scope } from '../resources.ts';
import { connectionsOf } from '../store/connection-store.ts';

export const listAgents = handle('accounts.ListAgents', async (_request, caller) => {
  const connections = await connectionsOf(currentAccountId(caller));
  const organizations = await organizationsById(connections.map(({ org_id }) => org_id));
  const agents = connections.map(({ _id, client_name, redirect_uri, org_id, created_at, last_used_at }) => ({
    id: _id,
    client_name,
    redirect_host: redirectHost(redirect_uri),
    organization_id: org_id,
    organization: organizations.get(org_id)?.name ?? '',
    scopes: [scope],
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString(),
  }));
  return { agents, total: agents.length };
});
