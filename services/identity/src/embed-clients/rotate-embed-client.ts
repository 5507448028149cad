import { handle } from '@webkiln/rpc';
import { etagOf, saveWithRetry } from '@webkiln/store';
import type { KeyHash } from '../keys/key-secret.ts';
import { isRetry, rotateSecret, toEmbedClient } from './embed-client.ts';
import { embedClientById, saveEmbedClient } from './embed-client-store.ts';
import { issueSecret } from './embed-secret.ts';

export const rotateEmbedClient = (hashOf: KeyHash) =>
  handle('accounts.RotateEmbedClient', async ({ embed_client_id, grace_hours }, caller) => {
    const { secret, issued } = issueSecret(hashOf, caller);
    const client = await saveWithRetry(caller, async () => {
      const current = await embedClientById(caller, embed_client_id);
      const action = isRetry(current, issued) ? undefined : 'embed_client.rotated';
      return saveEmbedClient(caller, current, rotateSecret(current, issued, grace_hours, new Date()), action);
    });
    return { embed_client: toEmbedClient(client), secret, etag: etagOf(client) };
  });
