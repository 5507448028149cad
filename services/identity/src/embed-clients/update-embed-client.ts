import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveWithRetry } from '@webkiln/store';
import { changeEmbedClient, type EmbedClientFields, toEmbedClient } from './embed-client.ts';
import { embedClientById, saveEmbedClient } from './embed-client-store.ts';

export const updateEmbedClient = handle('accounts.UpdateEmbedClient', (request, caller) =>
  saveWithRetry(caller, async () => {
    const current = await embedClientById(caller, request.embed_client_id);
    assertMatches(caller, current);
    const change = changeEmbedClient(current, maskedFields<EmbedClientFields>(request));
    const client = change === null ? current : await saveEmbedClient(caller, current, change, 'embed_client.changed');
    return { embed_client: toEmbedClient(client), etag: etagOf(client) };
  }),
);
