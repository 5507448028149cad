import { validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { NewKey, toKey } from '../keys/key.ts';
import type { KeyHash } from '../keys/key-secret.ts';
import { makeKey } from '../keys/make-key.ts';
import { askingMember } from './signed-in.ts';

export const createKey = (hashOf: KeyHash) =>
  handle('accounts.CreateKey', async (request, caller) => {
    const { created_by: _nobody, ...wanted } = validate(NewKey, request);
    const { key, secret } = await makeKey(hashOf, caller, wanted, await askingMember(caller));
    return { key: toKey(key), secret };
  });
