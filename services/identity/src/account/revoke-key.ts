import { handle } from '@webkiln/rpc';
import { revoke } from '../keys/revoke-key.ts';

export const revokeKey = handle('accounts.RevokeKey', async ({ key_id }, caller) => {
  await revoke(caller, key_id);
  return { deleted: true, id: key_id };
});
