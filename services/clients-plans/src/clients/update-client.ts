import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveChange, saveWithRetry } from '@webkiln/store';
import { assertPlanExists } from '../plans/plan-store.ts';
import { type ClientFields, changeClient, clientAudited, comesBack, removeJoinedClient, toClient } from './client.ts';
import { ClientModel, existingClient } from './client-store.ts';
import { clientQuota } from './create-client.ts';

export const updateClient = handle('clients.UpdateClient', async (request, caller) => {
  const wanted = maskedFields(request) as Partial<ClientFields>;
  if (typeof wanted.plan_id === 'string') await assertPlanExists(caller, wanted.plan_id);
  return saveWithRetry(caller, async () => {
    const current = await existingClient(caller, request.client_id);
    assertMatches(caller, current);
    const change = changeClient(current, wanted);
    if (change === null) return { client: toClient(current), etag: etagOf(current) };
    const audited = change.withAudit(clientAudited(caller, 'client.changed', { ...current, ...change.state }));
    const client = comesBack(current, wanted)
      ? await clientQuota.insert(caller.principal.org_id, (place) => saveChange(ClientModel, caller, current, audited.withState({ place })))
      : await saveChange(ClientModel, caller, current, audited);
    return { client: toClient(client), etag: etagOf(client) };
  });
});

/** The event about it ends the sessions of the client's user, and takes its sites off the web. */
export const removeClient = handle('clients.RemoveClient', ({ client_id }, caller) =>
  saveWithRetry(caller, async () => {
    const current = await existingClient(caller, client_id);
    assertMatches(caller, current);
    const change = removeJoinedClient(current, new Date().toISOString());
    if (change === null) return { client: toClient(current), etag: etagOf(current) };
    const act = clientAudited(caller, 'client.changed', { ...current, ...change.state });
    const client = await saveChange(ClientModel, caller, current, change.withAudit(act));
    return { client: toClient(client), etag: etagOf(client) };
  }),
);
