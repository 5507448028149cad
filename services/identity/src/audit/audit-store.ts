import { randomUUID } from 'node:crypto';
import { AuditEntry } from '@webkiln/contract';
import type { EventEnvelope } from '@webkiln/messages';
import { coalescedPage, defineModel, definitionOf, isErased, type Scope, type Session, scoped, where } from '@webkiln/store';
import { type EntryState, hasPersonalData, idsOf, nextEntry, noEntries } from './audit-entry.ts';

const entriesPerBatch = 500;

const EntryModel = defineModel<EntryState>(
  'audit_entries',
  { ...definitionOf(AuditEntry), sequence: { type: Number, required: true }, previous_hash: { type: String, default: '' } },
  { indexes: [[{ org_id: 1, sequence: 1 }, { unique: true }]], keptWhenErased: true },
);

// One per organization: concurrent appends conflict here, and one of them is retried.
const HeadModel = defineModel<{ sequence: number; hash: string }>(
  'audit_heads',
  { sequence: { type: Number, required: true }, hash: { type: String, default: '' } },
  { keptWhenErased: true },
);

/**
 * Appends an audited action to an organization's chain, in the transaction that handles its event. Once the
 * organization is erased, only ids of it.
 */
export async function append(
  org_id: string,
  session: Session,
  event: EventEnvelope<'internal.audited'>,
  email: string | null,
): Promise<void> {
  const tenant = { org_id, session };
  const head = await scoped(HeadModel, tenant).findOne({ _id: org_id });
  const whole = nextEntry(org_id, head ?? noEntries, randomUUID(), event, email);
  const entry = (await isErased(org_id)) ? { ...whole, ...idsOf(whole) } : whole;
  const { sequence, hash } = entry;
  if (head === null) await scoped(HeadModel, tenant).insert({ _id: org_id, sequence, hash });
  else await scoped(HeadModel, tenant).updateOne({ _id: org_id }, { $set: { sequence, hash } });
  await scoped(EntryModel, tenant).insert(entry);
}

/** Removes everything but ids from an organization's log. Returns how many entries had more. */
export async function reduceEntries(org_id: string): Promise<number> {
  const entries = scoped(EntryModel, { org_id });
  let reduced = 0;
  for (let last = 0; ; ) {
    const found = await entriesAfter({ org_id }, last, entriesPerBatch);
    const fuller = found.filter(hasPersonalData);
    await entries.updateEach(fuller.map((entry) => [{ _id: entry._id }, { $set: idsOf(entry) }]));
    reduced += fuller.length;
    if (found.length < entriesPerBatch) return reduced;
    last = found.at(-1)?.sequence ?? last;
  }
}

/** One page, newest first, and the total. */
export const entryPage = coalescedPage(EntryModel, { sort: { sequence: -1 } });

/** The entries that follow, in order. */
export const entriesAfter = (scope: Scope, sequence: number, limit: number): Promise<EntryState[]> =>
  scoped(EntryModel, scope).find({ sequence: where({ $gt: sequence }) }, { sort: { sequence: 1 }, limit });

/** The recorded end of the chain. */
export const headOf = async (scope: Scope, org_id: string) => (await scoped(HeadModel, scope).findOne({ _id: org_id })) ?? noEntries;
