import { handle } from '@webkiln/rpc';
import { toEntry } from './audit-entry.ts';
import { entryPage } from './audit-store.ts';

export const listAudit = handle('accounts.ListAudit', async (request, caller) => {
  const { entries, total } = await entryPage(caller, request);
  return { entries: entries.map(toEntry), total };
});
