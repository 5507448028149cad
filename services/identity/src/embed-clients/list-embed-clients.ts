import { handle } from '@webkiln/rpc';
import { toEmbedClient } from './embed-client.ts';
import { embedClientPage } from './embed-client-store.ts';

export const listEmbedClients = handle('accounts.ListEmbedClients', async ({ limit, offset }, caller) => {
  const { records, total } = await embedClientPage(caller, { limit, offset });
  return { embed_clients: records.map(toEmbedClient), total };
});
