import type { ErrorCode, ErrorDetail } from '@webkiln/contract';
import type mongoose from 'mongoose';
import { gathered } from './gather.ts';
import { bookkeeping } from './indexes.ts';
import { insertEach } from './insert-each.ts';
import { answered } from './store-errors.ts';

/** What a request came to: the encoded reply, or an error of the caller's making. */
export type Outcome = { readonly bytes: Uint8Array } | { readonly code: ErrorCode; readonly details: readonly ErrorDetail[] };

/** A request that may be repeated. `_id` is its idempotency id, which the credential is part of. */
export interface RequestRow {
  readonly _id: string;
  readonly org_id: string;
  /** SHA-256 of the body. */
  readonly body: string;
  /** What the ids of the request's new records are derived from. */
  readonly seed: string;
  /** Which attempt holds the lease. */
  readonly attempt: string;
  /** Until then nobody else may run it. */
  readonly lease_until: Date;
  readonly expires_at: Date;
  readonly outcome?: Outcome;
}

type Held = Pick<RequestRow, '_id' | 'attempt'>;

const requests = bookkeeping<RequestRow>('repeatable_requests', [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]]);
const duplicateKey = 11_000;
const nobody = new Date(0);
/**
 * Not waited for on disk: the journal is written in order, so that a claim is there whenever the effect that came after it is, and a
 * request that is not forgotten in a crash is at worst held back until its lease ends.
 */
const soon = { writeConcern: { w: 1, journal: false } };

/** Adds the row; false when there is one with its id. Claims of one turn are one insert. */
export const claim = gathered<RequestRow, boolean>((claims) =>
  answered('insertMany', requests, async () => {
    const refusals = await insertEach(requests.rows(), claims, soon);
    return refusals.map((refused) => refused === undefined || (refused.code === duplicateKey ? false : new Error(refused.errmsg)));
  }),
);

export const requestRow = gathered<string, RequestRow | null>(async (ids) => {
  const query = { _id: { $in: [...new Set(ids)] } };
  const found = await answered('find', requests, () =>
    requests.rows().find(query, { promoteBuffers: true, readConcern: 'local' }).toArray(),
  );
  const byId = new Map(found.map((row) => [row._id, row]));
  return ids.map((id) => byId.get(id) ?? null);
});

/** Makes another attempt the holder of a row whose lease is over; of several that try, exactly one succeeds. */
export async function takeOver({ _id, attempt }: Held, next: Pick<RequestRow, 'attempt' | 'lease_until'>): Promise<boolean> {
  const filter = { _id, attempt, outcome: { $exists: false }, lease_until: { $lte: new Date() } };
  const { matchedCount } = await answered('update', requests, () => requests.rows().updateOne(filter, { $set: next }));
  return matchedCount === 1;
}

const settle = gathered<mongoose.mongo.AnyBulkWriteOperation<RequestRow>, void>(async (writes) => {
  await answered('bulkWrite', requests, () => requests.rows().bulkWrite(writes, { ordered: false }));
  return writes.map(() => undefined);
});

/** Keeps what the attempt came to, unless another one took over. */
export const keep = ({ _id, attempt }: Held, outcome: Outcome): Promise<void> =>
  settle({ updateOne: { filter: { _id, attempt }, update: { $set: { outcome } } } });

/** Lets the next attempt run at once, with the same ids. */
export const release = ({ _id, attempt }: Held): Promise<void> =>
  settle({ updateOne: { filter: { _id, attempt }, update: { $set: { lease_until: nobody } } } });

/** Forgets the request: the same one again is a new one. */
export const forget = gathered<Held, void>(async (held) => {
  const writes = held.map(({ _id, attempt }) => ({ deleteOne: { filter: { _id, attempt } } }));
  await answered('bulkWrite', requests, () => requests.rows().bulkWrite(writes, { ordered: false, ...soon }));
  return held.map(() => undefined);
});
