import { apiKeyTexts, validate } from '@webkiln/contract';
import { type Caller, handle } from '@webkiln/rpc';
import { newId, saveWithRetry } from '@webkiln/store';
import { operatedOrganization } from '../authorize.ts';
import { Grace, type KeyState, replaceKey, successorOf, toKey } from './key.ts';
import { type KeyHash, newSecret } from './key-secret.ts';
import { insertKey, keyById, saveKey } from './key-store.ts';

/** Replaces a key of the caller's organization; the old one works for the hours of grace. */
export function rotate(hashOf: KeyHash, caller: Caller, keyId: string, graceHours: number): Promise<{ key: KeyState; secret: string }> {
  const successorId = newId(caller, 'key');
  const { secret, kept } = newSecret(hashOf, apiKeyTexts);
  return saveWithRetry(caller, async () => {
    const now = new Date();
    const current = await keyById(caller, keyId);
    // The new key first, so that at no moment there is none; one that a lost race or a crash leaves behind opens to nobody.
    const key = await insertKey(caller, successorOf(current, successorId, kept, now));
    await saveKey(caller, current, replaceKey(current, successorId, graceHours, now));
    return { key, secret };
  });
}

export const rotateKey = (hashOf: KeyHash) =>
  handle('identity.RotateKey', async (request, caller) => {
    await operatedOrganization(caller);
    const { grace_hours } = validate(Grace, request);
    const { key, secret } = await rotate(hashOf, caller, request.key_id, grace_hours);
    return { key: toKey(key), secret };
  });
