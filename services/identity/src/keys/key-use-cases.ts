import { validate } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import * as z from 'zod';
import { assertInternal, forOperators } from '../authorize.ts';
import { admissionsOf } from '../organizations/organization-store.ts';
import { createKey } from './create-key.ts';
import { introspectKey, toKey } from './key.ts';
import { foundUnder, type KeyHash, rehash } from './key-secret.ts';
import { allKeys, keysByHash, recordUses, rehashKeys } from './key-store.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { updateKey } from './update-key.ts';

const list = async (_request: unknown, caller: Caller) => {
  const keys = (await allKeys(caller)).map(toKey);
  return { keys, total: keys.length };
};

const listKeys = [handle('identity.ListKeys', forOperators(list)), handle('accounts.ListKeys', list)];

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

const Uses = z.object({
  uses: z.array(z.object({ key_id: z.string(), org_id: z.string(), last_used_at: z.iso.datetime().transform((time) => new Date(time)) })),
});

const recordKeyUse = handle('identity.RecordKeyUse', async (request, caller) => {
  assertInternal(caller);
  const { uses } = validate(Uses, request);
  await recordUses(uses.map(({ key_id, org_id, last_used_at }) => ({ _id: key_id, org_id, last_used_at })));
  return {};
});

export const keyUseCases = (hashOf: KeyHash) => [
  ...createKey(hashOf),
  ...listKeys,
  updateKey,
  ...rotateKey(hashOf),
  ...revokeKey,
  verifyKeys(hashOf),
  recordKeyUse,
];
