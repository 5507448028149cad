import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { currentMember, forOperators } from '../authorize.ts';
import { assertMayManageKey, type KeyState, revokeKey as revokedKey, toKey } from './key.ts';
import { keyById, saveKey } from './key-store.ts';

/** Revokes a key of the caller's organization; a revoked key stays as it is. Throws `key_not_found`. */
export const revoke = (caller: Caller, keyId: string): Promise<KeyState> =>
  saveWithRetry(caller, async () => {
    const key = await keyById(caller, keyId);
    return saveKey(caller, key, revokedKey(key, new Date()));
  });

export const revokeKey = [
  handle(
    'identity.RevokeKey',
    forOperators(async ({ key_id }, caller) => ({ key: toKey(await revoke(caller, key_id)) })),
  ),
  handle('accounts.RevokeKey', async ({ key_id }, caller) => {
    assertMayManageKey(await currentMember(caller), await keyById(caller, key_id));
    await revoke(caller, key_id);
    return { deleted: true, id: key_id };
  }),
];
