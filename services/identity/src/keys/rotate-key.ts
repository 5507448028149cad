import { apiKeyTexts, validate } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { newId, saveWithRetry } from '@webkiln/store';
import { currentMember, forOperators } from '../authorize.ts';
import type { MemberState } from '../members/member.ts';
import { assertMayManageKey, Grace, replaceKey, successorOf, toKey } from './key.ts';
import { type KeyHash, newSecret } from './key-secret.ts';
import { keyById, replaceWith } from './key-store.ts';

type FindRotator = (caller: Caller) => Promise<MemberState> | null;

const rotate = (hashOf: KeyHash, findRotator: FindRotator) => async (request: { key_id: string }, caller: Caller) => {
  const { grace_hours } = validate(Grace, request);
  const rotator = await findRotator(caller);
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
    handle('accounts.RotateKey', rotate(hashOf, currentMember)),
  ] as const;
