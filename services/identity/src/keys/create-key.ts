import { validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { operatedOrganization } from '../authorize.ts';
import { memberById } from '../members/member-store.ts';
import { NewKey, openKey, toKey } from './key.ts';
import { type KeyHash, newSecret } from './key-secret.ts';
import { insertKey } from './key-store.ts';

export const createKey = (hashOf: KeyHash) =>
  handle('identity.CreateKey', async (request, caller) => {
    const { _id: org_id } = await operatedOrganization(caller);
    const { created_by, expires_at = null, ...wanted } = validate(NewKey, request);
    const creator = created_by === undefined ? null : await memberById(caller, created_by);
    const { secret, kept } = newSecret(hashOf);
    const draft = { _id: newId(caller, 'key'), org_id, ...wanted, expires_at, ...kept };
    const key = await insertKey(caller, openKey(draft, creator, new Date()));
    return { key: toKey(key), secret };
  });
