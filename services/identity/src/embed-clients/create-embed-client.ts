import { handle } from '@webkiln/rpc';
import { etagOf, newId, saveWithRetry } from '@webkiln/store';
import type { KeyHash } from '../keys/key-secret.ts';
import { openEmbedClient, rotateSecret, toEmbedClient } from './embed-client.ts';
import { insertEmbedClient, saveEmbedClient } from './embed-client-store.ts';
import { makeSecret } from './embed-secret.ts';

export const createEmbedClient = (hashOf: KeyHash) =>
  handle('accounts.CreateEmbedClient', async ({ name, allowed_origins }, caller) => {
    const _id = `emb_${newId(caller, 'embed client').replaceAll('-', '')}`;
    const { secret, made } = makeSecret(hashOf, caller);
    const state = openEmbedClient({ _id, org_id: caller.principal.org_id, name, allowed_origins }, made, new Date());
    const client = await saveWithRetry(caller, async () => {
      const kept = await insertEmbedClient(caller, state);
      // An earlier attempt of this request made it, and its text was never shown.
      return kept.secret_hash === made.hash ? kept : saveEmbedClient(caller, kept, rotateSecret(kept, made, 0, new Date()));
    });
    return { embed_client: toEmbedClient(client), secret, etag: etagOf(client) };
  });
