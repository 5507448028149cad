import { handle } from '@webkiln/rpc';
import { etagOf, newId, saveWithRetry } from '@webkiln/store';
import type { KeyHash } from '../keys/key-secret.ts';
import { openEmbedClient, rotateSecret, toEmbedClient } from './embed-client.ts';
import { insertEmbedClient, saveEmbedClient } from './embed-client-store.ts';
import { issueSecret } from './embed-secret.ts';

export const createEmbedClient = (hashOf: KeyHash) =>
  handle('accounts.CreateEmbedClient', async ({ name, allowed_origins, session_credits = null, daily_credits = null }, caller) => {
    const _id = `emb_${newId(caller, 'embed client').replaceAll('-', '')}`;
    const { secret, issued } = issueSecret(hashOf, caller);
    const draft = { _id, org_id: caller.principal.org_id, name, allowed_origins, session_credits, daily_credits };
    const state = openEmbedClient(draft, issued, new Date());
    const client = await saveWithRetry(caller, async () => {
      const stored = await insertEmbedClient(caller, state);
      // If an earlier attempt of this request added it, its secret was never shown.
      return stored.secret_hash === issued.hash ? stored : saveEmbedClient(caller, stored, rotateSecret(stored, issued, 0, new Date()));
    });
    return { embed_client: toEmbedClient(client), secret, etag: etagOf(client) };
  });
