import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { currentOrganization, forOperators } from '../authorize.ts';
import { noEntries, toEntry, verdictOn } from './audit-entry.ts';
import { entriesAfter, entryPage, headOf } from './audit-store.ts';

const listAudit = handle('accounts.ListAudit', async (request, caller) => {
  const { records, total, next_cursor } = await entryPage(caller, {}, request);
  return { entries: records.map(toEntry), total, next_cursor };
});

const pageSize = 500;

/**
 * Recomputes the organization's hash chain from its first entry to its last. Digests cover names that were removed;
 * `unverifiable` counts entries of earlier releases without digests, of which only the order is verified.
 */
async function verify(_request: unknown, caller: Caller) {
  const { org_id } = caller.principal;
  const { erasure_round, erased_at } = await currentOrganization(caller);
  const isErased = Boolean(erasure_round ?? erased_at);
  const head = await headOf(caller, org_id);
  let last: { sequence: number; hash: string; _id: string } = { ...noEntries, _id: '' };
  let unverifiable = 0;
  for (;;) {
    const entries = await entriesAfter(caller, last.sequence, pageSize);
    for (const entry of entries) {
      const follows = entry.previous_hash === last.hash && entry.sequence === last.sequence + 1;
      const verdict = verdictOn(org_id, entry, isErased);
      if (!follows || verdict === 'broken') return { entries: last.sequence, unverifiable, broken_at: entry._id };
      if (verdict === 'unverifiable') unverifiable++;
      last = entry;
    }
    if (entries.length < pageSize) break;
  }
  // A truncated chain is consistent in itself, but shorter than its recorded head.
  const verified = { entries: last.sequence, unverifiable };
  return last.sequence < head.sequence ? { ...verified, broken_at: last._id } : verified;
}

const verifyAudit = handle('identity.VerifyAudit', forOperators(verify));

export const auditUseCases = [listAudit, verifyAudit];
