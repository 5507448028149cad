import { handle } from '@webkiln/rpc';
import { allKeys } from '../keys/key-store.ts';
import { firstDay, usageOf } from './usage.ts';
import { usageSince } from './usage-store.ts';

export const getUsage = handle('accounts.GetUsage', async ({ days }, caller) => {
  const first = firstDay(Date.now(), days);
  const [counted, keys] = await Promise.all([usageSince(caller, first), allKeys(caller)]);
  return { usage: usageOf(counted, first, days, new Map(keys.map((key) => [key._id, key]))) };
});
