import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { identityCaller } from '../identity-caller.ts';
import { type KeyHash, rehash } from '../keys/key-secret.ts';
import { admissionsOf } from '../organizations/organization-store.ts';
import { beginAttempt } from '../sign-in/attempts/begin-attempt.ts';
import { TooManyAttempts } from '../sign-in/attempts/login-attempts.ts';
import { isSecretOf, rehashOf } from './embed-client.ts';
import { embedClientAnywhere, rehashEmbedClient } from './embed-client-store.ts';

/** Only wrong pairs are counted: an agency's server opens the sessions of all its users from one address. */
export const verifyEmbedClient = (hashOf: KeyHash) =>
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
    await beginAttempt(identityCaller(), [{ kind: 'client', of: `${id} from ${network}` }]);
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    throw new AppError(
      'rate_limited',
      error.details.map(({ message }) => ({ path: 'client_secret', message })),
    );
  }
}
