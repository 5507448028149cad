import { handle } from '@webkiln/rpc';
import { toClient } from './client.ts';
import { clientPage } from './client-store.ts';

export const listClients = handle('clients.ListClients', async (page, caller) => {
  const { records, total, next_cursor } = await clientPage(caller, page);
  return { clients: records.map(toClient), total, next_cursor };
});
