import { validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { Grace, toKey } from '../keys/key.ts';
import type { KeyHash } from '../keys/key-secret.ts';
import { rotate } from '../keys/rotate-key.ts';

export const rotateKey = (hashOf: KeyHash) =>
  handle('accounts.RotateKey', async (request, caller) => {
    const { grace_hours } = validate(Grace, request);
    const { key, secret } = await rotate(hashOf, caller, request.key_id, grace_hours);
    return { key: toKey(key), secret };
  });
