import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { admissionsOf } from '../organizations/organization-store.ts';
import { introspectKey } from './key-introspection.ts';
import type { KeyHash } from './key-secret.ts';
import { keysByHash } from './key-store.ts';

export const verifyKeys = (hashOf: KeyHash) =>
  handle('identity.VerifyKeys', async ({ key_digests }, caller) => {
    assertInternal(caller);
    const hashes = key_digests.map(hashOf);
    const keys = await keysByHash(hashes);
    const admissions = await admissionsOf([...keys.values()].map(({ org_id }) => org_id));
    const now = new Date();
    const results = hashes.map((hash) => {
      const key = keys.get(hash);
      return introspectKey(key, admissions.get(key?.org_id ?? ''), now);
    });
    return { verdicts: results };
  });
