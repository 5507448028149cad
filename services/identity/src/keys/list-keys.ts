import { handle } from '@webkiln/rpc';
import { operatedOrganization } from '../authorize.ts';
import { toKey } from './key.ts';
import { allKeys } from './key-store.ts';

export const listKeys = handle('identity.ListKeys', async (_request, caller) => {
  await operatedOrganization(caller);
  return { keys: (await allKeys(caller)).map(toKey) };
});
