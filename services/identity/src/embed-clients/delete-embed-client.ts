import { handle } from '@webkiln/rpc';
import { assertMatches, saveWithRetry } from '@webkiln/store';
import { deleteEmbedClient as deleted, embedClientById } from './embed-client-store.ts';

export const deleteEmbedClient = handle('accounts.DeleteEmbedClient', ({ embed_client_id }, caller) =>
  saveWithRetry(caller, async () => {
    const client = await embedClientById(caller, embed_client_id);
    assertMatches(caller, client);
    await deleted(caller, client);
    return { deleted: true, id: embed_client_id };
  }),
);
