import { randomUUID } from 'node:crypto';
import { AuditEntry } from '@webkiln/contract';
import type { EventEnvelope } from '@webkiln/messages';
import {
  acrossOrganizations,
  coalescedPage,
  defineModel,
  definitionOf,
  isErased,
  type Scope,
  type Session,
  scoped,
  where,
  writeBatch,
} from '@webkiln/store';
import { addressIn, type EntryState, nextEntry, noEntries, peopleIn, type Shown, withoutNames } from './audit-entry.ts';

export const entriesPerBatch = 500;
const optionalText = { type: String, default: null };

const EntryModel = defineModel<EntryState>(
  'audit_entries',
  {
    ...definitionOf(AuditEntry),
    sequence: { type: Number, required: true },
    previous_hash: { type: String, default: '' },
    actor_salt: optionalText,
    actor_digest: optionalText,
    target_salt: optionalText,
    target_digest: optionalText,
    is_unverifiable: { type: Boolean, default: false },
    people: { type: [String], default: [] },
  },
  {
    exportedAs: 'audit-log',
    indexes: [[{ org_id: 1, sequence: 1 }, { unique: true }]],
    // Finds the logs that name a person whose account is deleted.
    indexesAcross: [[{ people: 1, org_id: 1 }]],
    keptWhenErased: true,
    // Of an entry that was reduced, `people` says who is still named.
    upgrades: [
      {
        reads: ['people', 'actor', 'target'],
        upgrade: ({ people, actor, target }) => (people || !actor || !target ? {} : { people: peopleIn({ actor, target }) }),
      },
    ],
  },
);

// One per organization: concurrent appends conflict here, and one of them is retried.
const HeadModel = defineModel<{ sequence: number; hash: string; reductions?: number }>(
  'audit_heads',
  { sequence: { type: Number, required: true }, hash: { type: String, default: '' }, reductions: { type: Number, default: 0 } },
  { exportedAs: null, keptWhenErased: true },
);

/** An audited action with what the log shows of people. */
export interface Act {
  readonly event: EventEnvelope<'internal.audited'>;
  readonly shown: Shown;
}

/**
 * Appends audited actions to an organization's chain, in the transaction that handles their events. Once the
 * organization is erased, only ids of them.
 */
export async function append(org_id: string, session: Session, acts: readonly [Act, ...Act[]]): Promise<void> {
  const tenant = { org_id, session };
  const head = await scoped(HeadModel, tenant).findOne({ _id: org_id });
  const isGone = await isErased(org_id);
  const entries: EntryState[] = [];
  for (const { event, shown } of acts) {
    const whole = nextEntry(org_id, entries.at(-1) ?? head ?? noEntries, randomUUID(), event, shown);
    entries.push(isGone ? { ...whole, ...withoutNames(whole) } : whole);
  }
  const { sequence, hash } = entries.at(-1) ?? noEntries;
  if (head === null) await scoped(HeadModel, tenant).insert({ _id: org_id, sequence, hash });
  else await scoped(HeadModel, tenant).updateOne({ _id: org_id }, { $set: { sequence, hash } });
  await writeBatch(
    EntryModel,
    session,
    entries.map((record) => ({ org_id, record })),
  );
}

/** The organizations whose logs name somebody: by the id of an account, or an address in lower case. */
export const logsNaming = async (named: string): Promise<string[]> =>
  (await acrossOrganizations(EntryModel).owners('org_id', 'sequence', { people: named })).map(({ org_id }) => org_id);

/** Up to a batch of an organization's entries that name somebody, and do not name `besides`. */
export const entriesNaming = (org_id: string, named: string, besides: readonly string[] = []): Promise<EntryState[]> =>
  scoped(EntryModel, { org_id }).find({ people: where({ $in: [named], $nin: besides }) }, { limit: entriesPerBatch });

/** The addresses that an account had before, where a log shows the change. */
export async function formerAddresses(org_id: string, account_id: string): Promise<string[]> {
  const changes = await scoped(EntryModel, { org_id }).find({ people: account_id, action: 'email.changed' }, { fields: ['target'] });
  return changes.flatMap(({ target }) => addressIn(target) ?? []);
}

/** Stores what remains of entries; each is one write. */
export const saveReduced = (org_id: string, reduced: readonly (readonly [Pick<EntryState, '_id'>, Partial<EntryState>])[]): Promise<void> =>
  scoped(EntryModel, { org_id }).updateEach(reduced.map(([{ _id }, state]) => [{ _id }, { $set: state }]));

/** An append that read whom it names before this call is repeated, and reads again. */
export async function interruptAppends(org_id: string): Promise<void> {
  await scoped(HeadModel, { org_id }).updateOne({ _id: org_id }, { $inc: { reductions: 1 } });
}

/** One page, newest first, and the total. */
export const entryPage = coalescedPage(EntryModel, { sort: { sequence: -1 } });

/** The entries that follow, in order. */
export const entriesAfter = (scope: Scope, sequence: number, limit: number): Promise<EntryState[]> =>
  scoped(EntryModel, scope).find({ sequence: where({ $gt: sequence }) }, { sort: { sequence: 1 }, limit });

/** The recorded end of the chain. */
export const headOf = async (scope: Scope, org_id: string) => (await scoped(HeadModel, scope).findOne({ _id: org_id })) ?? noEntries;
