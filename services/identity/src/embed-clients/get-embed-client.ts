import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { toEmbedClient } from './embed-client.ts';
import { embedClientById } from './embed-client-store.ts';

export const getEmbedClient = handle('accounts.GetEmbedClient', async ({ embed_client_id }, caller) => {
  const client = await embedClientById(caller, embed_client_id);
  return { embed_client: toEmbedClient(client), etag: etagOf(client) };
});
