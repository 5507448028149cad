import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { toClient } from './client.ts';
import { shownClientById } from './client-store.ts';

export const getClient = handle('clients.GetClient', async ({ client_id }, caller) => {
  const client = await shownClientById(caller, client_id);
  if (client === null) throw new AppError('client_not_found');
  return { client: toClient(client), etag: etagOf(client) };
});
