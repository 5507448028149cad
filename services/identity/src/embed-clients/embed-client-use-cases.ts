import { AppError, embedSecretTexts } from '@webkiln/contract';
import { type Caller, serviceCaller } from '@webkiln/messages';
import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, newId, saveWithRetry } from '@webkiln/store';
import { answeringActor, assertInternal } from '../authorize.ts';
import { type KeyHash, newSecret, rehash } from '../keys/key-secret.ts';
import { admissionsOf } from '../organizations/organization-store.ts';
import { beginAttempt } from '../sign-in/attempts/begin-attempt.ts';
import { TooManyAttempts } from '../sign-in/attempts/login-attempts.ts';
import {
  changeEmbedClient,
  type EmbedClientFields,
  type IssuedSecret,
  isRetry,
  isSecretOf,
  openEmbedClient,
  rehashOf,
  rotateSecret,
  toEmbedClient,
} from './embed-client.ts';
import {
  deleteEmbedClient as deleted,
  embedClientAnywhere,
  embedClientById,
  embedClientPage,
  insertEmbedClient,
  rehashEmbedClient,
  saveEmbedClient,
} from './embed-client-store.ts';

const listEmbedClients = handle('accounts.ListEmbedClients', async (page, caller) => {
  const { records, total, next_cursor } = await embedClientPage(caller, page);
  return { embed_clients: records.map(toEmbedClient), total, next_cursor };
});

const getEmbedClient = handle('accounts.GetEmbedClient', async ({ embed_client_id }, caller) => {
  const client = await embedClientById(caller, embed_client_id);
  return { embed_client: toEmbedClient(client), etag: etagOf(client) };
});

export const createEmbedClient = (hashOf: KeyHash) =>
  handle('accounts.CreateEmbedClient', async ({ name, allowed_origins, session_credits = null, daily_credits = null }, caller) => {
    const _id = `emb_${newId(caller, 'embed client').replaceAll('-', '')}`;
    const { _id: created_by } = await answeringActor(caller);
    const { secret, issued } = issueSecret(hashOf, caller, null);
    const draft = { _id, org_id: caller.principal.org_id, created_by, name, allowed_origins, session_credits, daily_credits };
    const state = openEmbedClient(draft, issued, new Date());
    const client = await saveWithRetry(caller, async () => {
      const stored = await insertEmbedClient(caller, state);
      // If an earlier attempt of this request added it, its secret was never shown.
      return stored.secret_hash === issued.hash ? stored : saveEmbedClient(caller, stored, rotateSecret(stored, issued, 0, new Date()));
    });
    return { embed_client: toEmbedClient(client), secret, etag: etagOf(client) };
  });

const updateEmbedClient = handle('accounts.UpdateEmbedClient', (request, caller) =>
  saveWithRetry(caller, async () => {
    const current = await embedClientById(caller, request.embed_client_id);
    assertMatches(caller, current);
    const change = changeEmbedClient(current, maskedFields<EmbedClientFields>(request));
    const client = change === null ? current : await saveEmbedClient(caller, current, change, 'embed_client.changed');
    return { embed_client: toEmbedClient(client), etag: etagOf(client) };
  }),
);

export const rotateEmbedClient = (hashOf: KeyHash) =>
  handle('accounts.RotateEmbedClient', async ({ embed_client_id, grace_hours }, caller) => {
    const rotator = await answeringActor(caller);
    const { secret, issued } = issueSecret(hashOf, caller, rotator._id);
    const client = await saveWithRetry(caller, async () => {
      const current = await embedClientById(caller, embed_client_id);
      const action = isRetry(current, issued) ? undefined : 'embed_client.rotated';
      return saveEmbedClient(caller, current, rotateSecret(current, issued, grace_hours, new Date()), action);
    });
    return { embed_client: toEmbedClient(client), secret, etag: etagOf(client) };
  });

const deleteEmbedClient = handle('accounts.DeleteEmbedClient', ({ embed_client_id }, caller) =>
  saveWithRetry(caller, async () => {
    const client = await embedClientById(caller, embed_client_id);
    assertMatches(caller, client);
    await deleted(caller, client);
    return { deleted: true, id: embed_client_id };
  }),
);

const getEmbedOrigins = handle('identity.GetEmbedOrigins', async ({ embed_client_id }, caller) => {
  assertInternal(caller);
  return { origins: (await embedClientAnywhere(embed_client_id))?.allowed_origins ?? [] };
});

const getEmbedCaps = handle('identity.GetEmbedCaps', async ({ embed_client_id }, caller) => {
  assertInternal(caller);
  const client = await embedClientAnywhere(embed_client_id);
  return { session_credits: client?.session_credits ?? undefined, daily_credits: client?.daily_credits ?? undefined };
});

/** Issues the secret of a created or rotated embed client. */
function issueSecret(hashOf: KeyHash, caller: Caller, rotated_by: string | null): { secret: string; issued: IssuedSecret } {
  const { secret, stored } = newSecret(hashOf, embedSecretTexts);
  return { secret, issued: { ...stored, rotation: newId(caller, 'embed secret'), rotated_by } };
}

/** Only wrong pairs are counted: an agency's server opens the sessions of all its users from one address. */
const verifyEmbedClient = (hashOf: KeyHash) =>
  handle('identity.VerifyEmbedClient', async ({ embed_client_id, secret_digest, network }, caller) => {
    assertInternal(caller);
    const client = await embedClientAnywhere(embed_client_id);
    const hashes = hashOf.all(secret_digest);
    if (client === null || !isSecretOf(client, hashes, new Date())) {
      await countWrong(embed_client_id, network);
      throw new AppError('invalid_embed_client');
    }
    await rehash(rehashOf(client, hashes), (rehashes) => Promise.all(rehashes.map((rehash) => rehashEmbedClient(client, rehash))));
    const admission = (await admissionsOf([client.org_id])).get(client.org_id);
    return { org_id: client.org_id, suspended: admission?.suspended, requests_limit: admission?.requests_limit };
  });

async function countWrong(id: string, network: string): Promise<void> {
  try {
    await beginAttempt(serviceCaller('identity'), [{ kind: 'client', of: `${id} from ${network}` }]);
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    throw new AppError(
      'rate_limited',
      error.details.map(({ message }) => ({ path: 'client_secret', message })),
    );
  }
}

export const embedClientUseCases = (hashOf: KeyHash) => [
  listEmbedClients,
  getEmbedClient,
  createEmbedClient(hashOf),
  updateEmbedClient,
  rotateEmbedClient(hashOf),
  deleteEmbedClient,
  verifyEmbedClient(hashOf),
  getEmbedOrigins,
  getEmbedCaps,
];
