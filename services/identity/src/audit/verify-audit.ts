import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { currentOrganization, forOperators } from '../authorize.ts';
import { hashOfEntry, noEntries } from './audit-entry.ts';
import { entriesAfter, headOf } from './audit-store.ts';

const pageSize = 500;

/**
 * Recomputes the organization's hash chain from its first entry to its last. The entries of an erased organization have
 * ids alone, so that only their order can be verified.
 */
async function verify(_request: unknown, caller: Caller) {
  const { org_id } = caller.principal;
  const { erasure_round, erased_at } = await currentOrganization(caller);
  const isReduced = Boolean(erasure_round ?? erased_at);
  const head = await headOf(caller, org_id);
  let last: { sequence: number; hash: string; _id: string } = { ...noEntries, _id: '' };
  for (;;) {
    const entries = await entriesAfter(caller, last.sequence, pageSize);
    for (const entry of entries) {
      const follows = entry.previous_hash === last.hash && entry.sequence === last.sequence + 1;
      if (!follows || (!isReduced && entry.hash !== hashOfEntry(org_id, entry))) return { entries: last.sequence, broken_at: entry._id };
      last = entry;
    }
    if (entries.length < pageSize) break;
  }
  // A truncated chain is consistent in itself, but shorter than its recorded head.
  return last.sequence < head.sequence ? { entries: last.sequence, broken_at: last._id } : { entries: last.sequence };
}

export const verifyAudit = handle('identity.VerifyAudit', forOperators(verify));
