import type { ErrorCode, ErrorDetail } from '@webkiln/contract';
import { batched } from '@webkiln/runtime';
import type mongoose from 'mongoose';
import { bookkeeping } from '../model/indexes.ts';
import { answered } from '../store-errors.ts';
import { insertEach } from '../write/insert-each.ts';

/** A request's outcome: the encoded reply, or an error that the caller caused. */
export type Outcome = { readonly bytes: Uint8Array } | { readonly code: ErrorCode; readonly details: readonly ErrorDetail[] };

/** A request that may be repeated. `_id` is its idempotency id, which the credential is part of. */
export interface RequestRow {
  readonly _id: string;
  readonly org_id: string;
  /** SHA-256 of the body. */
  readonly body: string;
  /** The ids of the request's new records are derived from it. */
  readonly seed: string;
  /** The attempt that holds the lease. */
  readonly attempt: string;
  /** Until then no other attempt may run it. */
  readonly lease_until: Date;
  readonly expires_at: Date;
  readonly outcome?: Outcome;
}

type Held = Pick<RequestRow, '_id' | 'attempt'>;

const requests = bookkeeping<RequestRow>('repeatable_requests', [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]]);
const duplicateKey = 11_000;
const nobody = new Date(0);
/**
 * Does not wait for the journal. It is written in order, so a claim survives a crash whenever the effect after it does.
 * A deletion that a crash loses delays a repeat until the lease ends.
 */
const soon = { writeConcern: { w: 1, journal: false } };

/** Inserts the row; false if its id is taken. Claims of one event-loop tick are one insert. */
const claimWith = (options: Parameters<typeof insertEach>[2]) =>
  batched<RequestRow, boolean>((claims) =>
    answered('insertMany', requests, async () => {
      const refusals = await insertEach(requests.rows(), claims, options);
      return refusals.map((refused) => refused === undefined || (refused.code === duplicateKey ? false : new Error(refused.errmsg)));
    }),
  );

export const claimSoon = claimWith(soon);
/**
 * Waits for a majority. A failover can roll back a claim that only the primary has, while the driver sends the effect
 * to the next primary: then a repeat would claim again, and have the effect twice.
 */
export const claimForGood = claimWith({});

export const requestRow = batched<string, RequestRow | null>(async (ids) => {
  const query = { _id: { $in: [...new Set(ids)] } };
  const found = await answered('find', requests, () =>
    requests.rows().find(query, { promoteBuffers: true, readConcern: 'local' }).toArray(),
  );
  const byId = new Map(found.map((row) => [row._id, row]));
  return ids.map((id) => byId.get(id) ?? null);
});

/** Transfers an expired lease to another attempt; of several that try, exactly one succeeds. */
export async function takeOver({ _id, attempt }: Held, next: Pick<RequestRow, 'attempt' | 'lease_until'>): Promise<boolean> {
  const filter = { _id, attempt, outcome: { $exists: false }, lease_until: { $lte: new Date() } };
  const { matchedCount } = await answered('update', requests, () => requests.rows().updateOne(filter, { $set: next }));
  return matchedCount === 1;
}

const settle = batched<mongoose.mongo.AnyBulkWriteOperation<RequestRow>, void>(async (writes) => {
  await answered('bulkWrite', requests, () => requests.rows().bulkWrite(writes, { ordered: false }));
  return writes.map(() => undefined);
});

/** Stores the attempt's outcome, unless another one took over. */
export const keep = ({ _id, attempt }: Held, outcome: Outcome): Promise<void> =>
  settle({ updateOne: { filter: { _id, attempt }, update: { $set: { outcome } } } });

/** Ends the lease, so that the next attempt runs at once with the same ids. */
export const release = ({ _id, attempt }: Held): Promise<void> =>
  settle({ updateOne: { filter: { _id, attempt }, update: { $set: { lease_until: nobody } } } });

/** Deletes the row: an equal request is a new one. */
export const forget = batched<Held, void>(async (held) => {
  const writes = held.map(({ _id, attempt }) => ({ deleteOne: { filter: { _id, attempt } } }));
  await answered('bulkWrite', requests, () => requests.rows().bulkWrite(writes, { ordered: false, ...soon }));
  return held.map(() => undefined);
});
