import { handle } from '@webkiln/rpc';
import { toClient } from './client.ts';
import { clientPage } from './client-store.ts';

export const listClients = handle('clients.ListClients', async ({ limit, offset }, caller) => {
  const { records, total } = await clientPage(caller, { limit, offset });
  return { clients: records.map(toClient), total };
});
