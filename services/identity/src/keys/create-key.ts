import { validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { operatedOrganization } from '../authorize.ts';
import { memberById } from '../members/member-store.ts';
import { NewKey, toKey } from './key.ts';
import type { KeyHash } from './key-secret.ts';
import { makeKey } from './make-key.ts';

export const createKey = (hashOf: KeyHash) =>
  handle('identity.CreateKey', async (request, caller) => {
    await operatedOrganization(caller);
    const { created_by, ...wanted } = validate(NewKey, request);
    const creator = created_by === undefined ? null : await memberById(caller, created_by);
    const { key, secret } = await makeKey(hashOf, caller, wanted, creator);
    return { key: toKey(key), secret };
  });
