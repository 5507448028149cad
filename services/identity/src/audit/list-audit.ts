import { handle } from '@webkiln/rpc';
import { toEntry } from './audit-entry.ts';
import { entryPage } from './audit-store.ts';

export const listAudit = handle('accounts.ListAudit', async (request, caller) => {
  const { records, total, next_cursor } = await entryPage(caller, {}, request);
  return { entries: records.map(toEntry), total, next_cursor };
});
