import { validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { newId, saveWithRetry } from '@webkiln/store';
import { operatedOrganization } from '../authorize.ts';
import { Grace, replaceKey, successorOf, toKey } from './key.ts';
import { type KeyHash, newSecret } from './key-secret.ts';
import { insertKey, keyById, saveKey } from './key-store.ts';

export const rotateKey = (hashOf: KeyHash) =>
  handle('identity.RotateKey', async (request, caller) => {
    await operatedOrganization(caller);
    const { grace_hours } = validate(Grace, request);
    const successorId = newId(caller, 'key');
    const { secret, kept } = newSecret(hashOf);
    return saveWithRetry(caller, async () => {
      const now = new Date();
      const current = await keyById(caller, request.key_id);
      // The new key first, so that at no moment there is none; one that a lost race or a crash leaves behind opens to nobody.
      const successor = await insertKey(caller, successorOf(current, successorId, kept, now));
      await saveKey(caller, current, replaceKey(current, successorId, grace_hours, now));
      return { key: toKey(successor), secret };
    });
  });
