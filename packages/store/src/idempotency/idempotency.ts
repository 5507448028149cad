import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, type ErrorCode, type ErrorDetail } from '@webkiln/contract';
import type { Caller, Idempotency, IncomingCaller, Interceptor } from '@webkiln/messages';
import { batched, KeyedMutex, logger, retry } from '@webkiln/runtime';
import type mongoose from 'mongoose';
import { bookkeeping } from '../model/models.ts';
import { answered } from '../store-errors.ts';
import { insertEach } from '../write/batched-writes.ts';

const explicitKeptMs = 24 * 3600_000;
const implicitKeptMs = 10 * 60_000;
const maxOutcomeBytes = 1024 * 1024;
const pollIntervalMs = 25;

/**
 * Makes calls that carry an idempotency safe to repeat. With an Idempotency-Key (explicit) the outcome is stored for 24
 * h and replayed; a different body is refused, and so is a repeat while the first attempt runs. Without a key
 * (implicit) a request is stored for 10 min, and only if it failed on our side or its outcome is unknown; equal
 * requests at the same time run one after another. One other attempt takes over from a dead one after its deadline. It
 * derives the same ids, so it finds the records made before.
 */
export const idempotencyGuard: Interceptor = async (_method, caller, run) => {
  const { idempotency } = caller;
  if (idempotency === undefined) return run();
  const claimed = async (end?: () => void) => {
    const row = await hold(caller, idempotency);
    if (row.outcome === undefined) return attempt(row, caller, idempotency, run, end);
    end?.();
    return replay(row.outcome);
  };
  return idempotency.explicit ? claimed() : inTurn(idempotency.id, caller.deadlineAt, claimed);
};

const turns = new KeyedMutex();

/**
 * Runs equal requests of this process one after another without asking for the row, which keeps apart those of other
 * processes. `work` calls `end` when its row is settled; the turn ends with the lease at the latest.
 */
function inTurn<R>(id: string, deadlineAt: number, work: (end: () => void) => Promise<R>): Promise<R> {
  const { promise, resolve, reject } = Promise.withResolvers<R>();
  void turns.run(id, async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const timer = setTimeout(end, Math.max(0, deadlineAt - Date.now())).unref();
    work(end).then(resolve, (error) => {
      end();
      reject(error);
    });
    await ended;
    clearTimeout(timer);
  });
  return promise;
}

/**
 * The request's row: leased by this attempt, or with its outcome. An attempt whose caller disconnects while it waits
 * never starts: the repeat may have run in its place already and its row be deleted.
 */
async function hold(caller: IncomingCaller, idempotency: Idempotency): Promise<RequestRow> {
  while (Date.now() < caller.deadlineAt && !caller.signal.aborted) {
    const mine = newRow(caller, idempotency);
    if (await (idempotency.explicit ? claimForGood : claimSoon)(mine)) {
      if (!caller.signal.aborted) return mine;
      await forget(mine);
      break;
    }
    const row = await requestRow(mine._id);
    if (row === null) continue;
    if (!isSame(row, idempotency)) throw new AppError('idempotency_key_reused');
    if (row.outcome !== undefined) return row;
    if (row.lease_until.getTime() <= Date.now()) {
      const taken = { ...row, attempt: mine.attempt, lease_until: mine.lease_until };
      if (await takeOver(row, taken)) return taken;
    } else if (idempotency.explicit) {
      throw new AppError('request_in_flight');
    } else {
      // The running attempt may be the first try of the same request, disconnected: only its end shows the outcome.
      await pause(pollIntervalMs);
    }
  }
  throw new AppError('unavailable');
}

/** By the body as well: a gateway of an earlier release tells no meaning. */
const isSame = (row: RequestRow, { body, meaning }: Idempotency) => row.body === body || (meaning !== undefined && row.meaning === meaning);

const newRow = ({ principal, deadlineAt }: IncomingCaller, { id, body, meaning, explicit }: Idempotency): RequestRow => ({
  _id: id,
  org_id: principal.org_id,
  body,
  ...(meaning !== undefined && { meaning }),
  seed: randomUUID(),
  attempt: randomUUID(),
  lease_until: new Date(deadlineAt),
  expires_at: new Date(Date.now() + (explicit ? explicitKeptMs : implicitKeptMs)),
});

async function attempt(
  row: RequestRow,
  caller: IncomingCaller,
  idempotency: Idempotency,
  run: Parameters<Interceptor>[2],
  end: () => void = () => undefined,
): Promise<Uint8Array> {
  const ended = (outcome: Outcome) => (idempotency.explicit ? keep(row, outcome) : forget(row));
  seedIds(idempotency, row.seed);
  try {
    const bytes = await run();
    if (idempotency.explicit) await stored(bytes.length <= maxOutcomeBytes ? keep(row, { bytes }) : release(row));
    else afterResponse(() => void stored(caller.signal.aborted ? release(row) : forget(row)).then(end));
    return bytes;
  } catch (error) {
    const callersFault = error instanceof AppError && error.status < 500;
    await stored(callersFault ? ended({ code: error.code, details: error.details }) : release(row));
    throw error;
  }
}

/**
 * Two ticks later, when the response is being sent: a crash before that keeps the row, so that a repeat finds the
 * record.
 */
function afterResponse(storing: () => void): void {
  setImmediate(() => setImmediate(storing));
}

/** The effect is permanent even if its outcome cannot be stored: a repeat then waits for the end of the lease. */
async function stored(storing: Promise<void>): Promise<void> {
  try {
    await storing;
  } catch (error) {
    logger.warn({ err: error }, 'storing the outcome of a repeatable request failed; a repeat waits for the end of its lease');
  }
}

function replay(outcome: Outcome): { bytes: Uint8Array; replayed: true } {
  if ('code' in outcome) throw new AppError(outcome.code, outcome.details, { replayed: true });
  return { bytes: outcome.bytes, replayed: true };
}

/** A request's outcome: the encoded reply, or an error that the caller caused. */
type Outcome = { readonly bytes: Uint8Array } | { readonly code: ErrorCode; readonly details: readonly ErrorDetail[] };

/** A request that may be repeated. `_id` is its idempotency id, which the credential is part of. */
interface RequestRow {
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

const claimSoon = claimWith(soon);
/**
 * Waits for a majority. A failover can roll back a claim that only the primary has, while the driver sends the effect
 * to the next primary: then a repeat would claim again, and have the effect twice.
 */
const claimForGood = claimWith({});

const requestRow = batched<string, RequestRow | null>(async (ids) => {
  const query = { _id: { $in: [...new Set(ids)] } };
  const found = await answered('find', requests, () =>
    requests.rows().find(query, { promoteBuffers: true, readConcern: 'local' }).toArray(),
  );
  const byId = new Map(found.map((row) => [row._id, row]));
  return ids.map((id) => byId.get(id) ?? null);
});

/** Transfers an expired lease to another attempt; of several that try, exactly one succeeds. */
async function takeOver({ _id, attempt }: Held, next: Pick<RequestRow, 'attempt' | 'lease_until'>): Promise<boolean> {
  const filter = { _id, attempt, outcome: { $exists: false }, lease_until: { $lte: new Date() } };
  const { matchedCount } = await answered('update', requests, () => requests.rows().updateOne(filter, { $set: next }));
  return matchedCount === 1;
}

const settle = batched<mongoose.mongo.AnyBulkWriteOperation<RequestRow>, void>(async (writes) => {
  await answered('bulkWrite', requests, () => requests.rows().bulkWrite(writes, { ordered: false }));
  return writes.map(() => undefined);
});

/** Stores the attempt's outcome, unless another one took over. */
const keep = ({ _id, attempt }: Held, outcome: Outcome): Promise<void> =>
  settle({ updateOne: { filter: { _id, attempt }, update: { $set: { outcome } } } });

/** Ends the lease, so that the next attempt runs at once with the same ids. */
const release = ({ _id, attempt }: Held): Promise<void> =>
  settle({ updateOne: { filter: { _id, attempt }, update: { $set: { lease_until: nobody } } } });

/** Deletes the row: an equal request is a new one. No two rows have the same attempt. */
const forget = batched<Held, void>(async (held) => {
  const filter = { _id: { $in: held.map(({ _id }) => _id) }, attempt: { $in: held.map(({ attempt }) => attempt) } };
  const remove = () => answered('deleteMany', requests, () => requests.rows().deleteMany(filter, soon));
  // The driver repeats no write to several rows.
  await retry(remove, { maxAttempts: 2, isRetryable: (error) => error instanceof AppError && error.kind === 'unavailable' });
  return held.map(() => undefined);
});

const seeds = new WeakMap<Idempotency, string>();

/** Sets a request's seed from its idempotency row: the same on every attempt, new for a new request. */
export function seedIds(idempotency: Idempotency, seed: string): void {
  seeds.set(idempotency, seed);
}

/**
 * The id of a record that this request creates; `label` distinguishes several. A UUID of version 8 (RFC 9562), the same
 * on every attempt of a repeatable request, so that a retry finds the record; otherwise random.
 */
export function newId(caller: Pick<Caller, 'idempotency'> | undefined, label = ''): string {
  const idempotency = caller?.idempotency;
  if (idempotency === undefined) return randomUUID();
  const bytes = createHash('sha256')
    .update(`${seeds.get(idempotency) ?? idempotency.id}\n${label}`)
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
