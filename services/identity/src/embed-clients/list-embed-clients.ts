import { handle } from '@webkiln/rpc';
import { toEmbedClient } from './embed-client.ts';
import { embedClientPage } from './embed-client-store.ts';

export const listEmbedClients = handle('accounts.ListEmbedClients', async (page, caller) => {
  const { records, total, next_cursor } = await embedClientPage(caller, page);
  return { embed_clients: records.map(toEmbedClient), total, next_cursor };
});
