import { AppError, apiKeyTexts, validate } from '@webkiln/contract';
import type { Caller, IncomingCaller } from '@webkiln/messages';
import { handle, maskedFields } from '@webkiln/rpc';
import { newId, saveWithRetry } from '@webkiln/store';
import * as z from 'zod';
import { assertInternal, currentActor, forOperators } from '../authorize.ts';
import { memberById } from '../members/member-store.ts';
import { admissionsOf } from '../organizations/organization-store.ts';
import {
  type Actor,
  assertMayManageKey,
  changeKey,
  Grace,
  introspectKey,
  type KeyFields,
  type KeyState,
  NewKey,
  openKey,
  replaceKey,
  revokeKey as revokedKey,
  successorOf,
  toKey,
} from './key.ts';
import { foundUnder, type KeyHash, newSecret, rehash } from './key-secret.ts';
import { allKeys, insertKey, keyById, keysByHash, recordUses, rehashKeys, replaceWith, saveKey, saveKeyFields } from './key-store.ts';

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

type FindCreator = (caller: IncomingCaller, createdBy: string | undefined) => Promise<Actor | null>;

const create = (hashOf: KeyHash, findCreator: FindCreator) => async (request: unknown, caller: IncomingCaller) => {
  const { created_by, expires_at = null, ...wanted } = validate(NewKey, request);
  const creator = await findCreator(caller, created_by);
  const { secret, stored } = newSecret(hashOf, apiKeyTexts);
  const draft = { _id: newId(caller, 'key'), org_id: caller.principal.org_id, ...wanted, expires_at, ...stored };
  const key = await insertKey(caller, openKey(draft, creator, new Date()));
  return { key: toKey(key), secret };
};

/** An operator may name the member that the key is for. */
const namedMember: FindCreator = async (caller, createdBy) => (createdBy === undefined ? null : memberById(caller, createdBy));

/** A member or key creates keys for the member; an operator for any member, or for none. */
export const createKey = (hashOf: KeyHash) =>
  [
    handle('identity.CreateKey', forOperators(create(hashOf, namedMember))),
    handle('accounts.CreateKey', create(hashOf, currentActor)),
  ] as const;

type FindRotator = (caller: Caller) => Promise<Actor> | null;

const rotate = (hashOf: KeyHash, findRotator: FindRotator) => async (request: { key_id: string }, caller: Caller) => {
  const { grace_hours } = validate(Grace, request);
  const rotator = await findRotator(caller);
  if (rotator?.key?._id === request.key_id && grace_hours === 0)
    throw new AppError('validation_failed', [{ path: 'grace_hours', message: 'must be at least 1 where a key rotates itself' }]);
  const successorId = newId(caller, 'key');
  const { secret, stored } = newSecret(hashOf, apiKeyTexts);
  const key = await saveWithRetry(caller, async () => {
    const now = new Date();
    const current = await keyById(caller, request.key_id);
    if (rotator !== null) assertMayManageKey(rotator, current);
    const successor = successorOf(current, { _id: successorId, rotated_by: rotator?._id ?? null, ...stored }, now);
    return replaceWith(caller, current, successor, replaceKey(current, successorId, grace_hours, now));
  });
  return { key: toKey(key), secret };
};

/** Replaces a key of the caller's organization; the old key keeps working for the grace period. */
export const rotateKey = (hashOf: KeyHash) =>
  [
    handle('identity.RotateKey', forOperators(rotate(hashOf, () => null))),
    handle('accounts.RotateKey', rotate(hashOf, currentActor)),
  ] as const;

const updateKey = handle('accounts.UpdateKey', async (request, caller) => {
  const actor = await currentActor(caller);
  const wanted = maskedFields<KeyFields>(request);
  return saveWithRetry(caller, async () => {
    const current = await keyById(caller, request.key_id);
    // As it will be, too: no key gives another one more than it has.
    assertMayManageKey(actor, current);
    assertMayManageKey(actor, { ...current, ...wanted });
    const change = changeKey(current, wanted, new Date());
    return { key: toKey(change === null ? current : await saveKeyFields(caller, current, change)) };
  });
});

/** Revokes a key of the caller's organization; a revoked key stays as it is. Throws `key_not_found`. */
export const revoke = (caller: Caller, keyId: string): Promise<KeyState> =>
  saveWithRetry(caller, async () => {
    const key = await keyById(caller, keyId);
    return saveKey(caller, key, revokedKey(key, new Date()));
  });

const revokeKey = [
  handle(
    'identity.RevokeKey',
    forOperators(async ({ key_id }, caller) => ({ key: toKey(await revoke(caller, key_id)) })),
  ),
  handle('accounts.RevokeKey', async ({ key_id }, caller) => {
    assertMayManageKey(await currentActor(caller), await keyById(caller, key_id));
    await revoke(caller, key_id);
    return { deleted: true, id: key_id };
  }),
];

export const keyUseCases = (hashOf: KeyHash) => [
  ...createKey(hashOf),
  ...listKeys,
  updateKey,
  ...rotateKey(hashOf),
  ...revokeKey,
  verifyKeys(hashOf),
  recordKeyUse,
];
