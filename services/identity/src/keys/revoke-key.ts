import { type Caller, handle } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { operatedOrganization } from '../authorize.ts';
import { type KeyState, revokeKey as revokedKey, toKey } from './key.ts';
import { keyById, saveKey } from './key-store.ts';

/** Revokes a key of the caller's organization; one that is revoked stays as it is. */
export const revoke = (caller: Caller, keyId: string): Promise<KeyState> =>
  saveWithRetry(caller, async () => {
    const key = await keyById(caller, keyId);
    return saveKey(caller, key, revokedKey(key, new Date()));
  });

export const revokeKey = handle('identity.RevokeKey', async ({ key_id }, caller) => {
  await operatedOrganization(caller);
  return { key: toKey(await revoke(caller, key_id)) };
});
