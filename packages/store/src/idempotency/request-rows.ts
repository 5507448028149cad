import { AppError, type ErrorCode, type ErrorDetail } from '@webkiln/contract';
import { batched, retry } from '@webkiln/runtime';
import type mongoose from 'mongoose';
import { beforeDisconnect, database } from '../connection.ts';
import { bookkeeping } from '../model/models.ts';
import { answered, isDuplicateCode } from '../store-errors.ts';
import { insertEach } from '../write/batched-writes.ts';

/** A request's outcome: the encoded reply, or an error that the caller caused. */
export type Outcome = { readonly bytes: Uint8Array } | { readonly code: ErrorCode; readonly details: readonly ErrorDetail[] };

/** A request that may be repeated. `_id` is its idempotency id, which the credential is part of. */
export interface RequestRow {
  readonly _id: string;
  readonly org_id: string;
  /** SHA-256 of the body. */
  readonly body: string;
  /** SHA-256 of its values. */
  readonly meaning?: string;
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
const nobody = new Date(0);
/**
 * Does not wait for the journal. It is written in order, so a claim survives a crash whenever the effect after it does.
 * A deletion that a crash loses delays a repeat until the lease ends.
 */
const soon = { writeConcern: { w: 1, journal: false } };

/**
 * Inserts the row; false if its id is taken. Claims of one event-loop tick are one insert. Here the driver does not
 * repeat it, because what MongoDB writes for that costs a fifth of the insert: the attempt knows its own row again.
 */
export const claimSoon = batched<RequestRow, boolean>(async (claims) => {
  const insert = { insert: requests.collection, documents: claims, ordered: false, writeConcern: { w: 1, j: false } };
  const { writeErrors = [] } = await twice(() => answered('insert', requests, async () => database().command(insert)));
  return outcomesOf(claims, new Map((writeErrors as WriteError[]).map((refused) => [refused.index, refused])));
});

/**
 * Waits for a majority. A failover can roll back a claim that only the primary has, while the driver sends the effect
 * to the next primary: then a repeat would claim again, and have the effect twice.
 */
export const claimForGood = batched<RequestRow, boolean>((claims) =>
  answered('insertMany', requests, async () => {
    const refusals = await insertEach(requests.rows(), claims);
    return outcomesOf(claims, new Map(refusals.map((refused, index) => [index, refused])));
  }),
);

type WriteError = Pick<mongoose.mongo.WriteError, 'index' | 'code' | 'errmsg'>;

const outcomesOf = (claims: readonly RequestRow[], refusals: ReadonlyMap<number, WriteError | undefined>) =>
  claims.map((_, index) => {
    const refused = refusals.get(index);
    return refused === undefined || (isDuplicateCode(refused.code) ? false : new Error(refused.errmsg));
  });

/** The driver repeats neither a plain command nor a write to several rows. */
const twice = <R>(write: () => Promise<R>): Promise<R> =>
  retry(write, { maxAttempts: 2, isRetryable: (error) => error instanceof AppError && error.kind === 'unavailable' });

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

/** Deletes the row: an equal request is a new one. No two rows have the same attempt. */
export const forget = batched<Held, void>(async (held) => {
  const filter = { _id: { $in: held.map(({ _id }) => _id) }, attempt: { $in: held.map(({ attempt }) => attempt) } };
  const remove = () => answered('deleteMany', requests, () => requests.rows().deleteMany(filter, soon));
  await twice(remove);
  return held.map(() => undefined);
});

const forgetAfterMs = 25;
/** The deletions that wait for others, by row. */
const deletions = new Map<string, () => Promise<void>>();
let timer: NodeJS.Timeout | undefined;

/**
 * Deletes the row within 25 ms, together with others: MongoDB takes about as much for one as for many. `forgetNow` has
 * it deleted at once.
 */
export function forgetSoon(held: Held): Promise<void> {
  timer ??= setTimeout(forgetAll, forgetAfterMs);
  const { promise, resolve } = Promise.withResolvers<void>();
  deletions.set(held._id, () => {
    const deleted = forget(held);
    resolve(deleted);
    return deleted;
  });
  return promise;
}

/** Deletes the row of this id, and others, if it waits to be deleted. */
export function forgetNow(id: string): void {
  if (deletions.has(id)) void forgetAll();
}

function forgetAll(): Promise<unknown> {
  clearTimeout(timer);
  timer = undefined;
  const deleted = [...deletions.values()].map((remove) => remove());
  deletions.clear();
  return Promise.allSettled(deleted);
}

// Else a repeat after a restart would find an answered request, and get its record instead of another.
beforeDisconnect(forgetAll);
