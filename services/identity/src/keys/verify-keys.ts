import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { admissionsOf } from '../organizations/organization-store.ts';
import { introspectKey } from './key-introspection.ts';
import { foundUnder, type KeyHash, rehash } from './key-secret.ts';
import { keysByHash, rehashKeys } from './key-store.ts';

export const verifyKeys = (hashOf: KeyHash) =>
  handle('identity.VerifyKeys', async ({ key_digests }, caller) => {
    assertInternal(caller);
    const hashes = key_digests.map(hashOf.all);
    const keys = await keysByHash(hashes.flat());
    const admissions = await admissionsOf([...keys.values()].map(({ org_id }) => org_id));
    const now = new Date();
    const found = hashes.map((candidates) => foundUnder(keys, candidates));
    await rehash(
      found.flatMap((key) => key?.rehash ?? []),
      rehashKeys,
    );
    const results = found.map((match) => {
      const key = match?.record;
      return introspectKey(key, admissions.get(key?.org_id ?? ''), now);
    });
    return { verdicts: results };
  });
