import { handle } from '@webkiln/rpc';
import { operatedOrganization } from '../authorize.ts';
import { hashOfEntry, noEntries } from './audit-entry.ts';
import { entriesAfter, headOf } from './audit-store.ts';

const atOnce = 500;

/** Follows the chain from its first entry to its last. */
export const verifyAudit = handle('identity.VerifyAudit', async (_request, caller) => {
  const { _id: org_id } = await operatedOrganization(caller);
  const head = await headOf(caller, org_id);
  let last: { sequence: number; hash: string; _id: string } = { ...noEntries, _id: '' };
  for (;;) {
    const entries = await entriesAfter(caller, last.sequence, atOnce);
    for (const entry of entries) {
      const follows = entry.previous_hash === last.hash && entry.sequence === last.sequence + 1;
      if (!follows || entry.hash !== hashOfEntry(org_id, entry)) return { entries: last.sequence, broken_at: entry._id };
      last = entry;
    }
    if (entries.length < atOnce) break;
  }
  // Cut off at its end, the chain is whole, but shorter than it was.
  return last.sequence < head.sequence ? { entries: last.sequence, broken_at: last._id } : { entries: last.sequence };
});
