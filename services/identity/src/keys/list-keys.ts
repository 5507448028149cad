import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { forOperators } from '../authorize.ts';
import { toKey } from './key.ts';
import { allKeys } from './key-store.ts';

const list = async (_request: unknown, caller: Caller) => {
  const keys = (await allKeys(caller)).map(toKey);
  return { keys, total: keys.length };
};

export const listKeys = [handle('identity.ListKeys', forOperators(list)), handle('accounts.ListKeys', list)];
