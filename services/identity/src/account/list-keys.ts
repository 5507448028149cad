import { handle } from '@webkiln/rpc';
import { toKey } from '../keys/key.ts';
import { allKeys } from '../keys/key-store.ts';

export const listKeys = handle('accounts.ListKeys', async (_request, caller) => {
  const keys = (await allKeys(caller)).map(toKey);
  return { keys, total: keys.length };
});
