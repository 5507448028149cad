import { hash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '@webkiln/contract';
import type { Caller, Idempotency, IncomingCaller, Interceptor } from '@webkiln/messages';
import { KeyedMutex, logger } from '@webkiln/runtime';
import {
  claimForGood,
  claimSoon,
  forget,
  forgetNow,
  forgetSoon,
  keep,
  type Outcome,
  type RequestRow,
  release,
  requestRow,
  takeOver,
} from './request-rows.ts';

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
  const claimed = async (turn?: Turn) => {
    const { row, isNew } = await hold(caller, idempotency).catch((error: unknown) => {
      turn?.end();
      throw error;
    });
    if (row.outcome !== undefined) {
      turn?.end();
      return replay(row.outcome);
    }
    seedIds(idempotency, row.seed, isNew);
    return attempt(row, caller, idempotency, run, turn);
  };
  return idempotency.explicit ? claimed() : inTurn(idempotency.id, caller.deadlineAt, claimed);
};

const turns = new KeyedMutex();

/** An implicit request's turn among equal ones of its process. */
interface Turn {
  /** Called when its row is settled. */
  readonly end: () => void;
  /** True while an equal request waits for the end. */
  readonly isAwaited: () => boolean;
}

/**
 * Runs equal requests of this process one after another without asking for the row, which keeps apart those of other
 * processes. A turn ends with the lease at the latest.
 */
function inTurn<R>(id: string, deadlineAt: number, work: (turn: Turn) => Promise<R>): Promise<R> {
  const { promise, resolve, reject } = Promise.withResolvers<R>();
  forgetNow(id);
  void turns.run(id, async (isAwaited) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const timer = setTimeout(end, Math.max(0, deadlineAt - Date.now())).unref();
    work({ end, isAwaited }).then(resolve, reject);
    await ended;
    clearTimeout(timer);
  });
  return promise;
}

/**
 * The request's row: leased by this attempt, or with its outcome. An attempt whose caller disconnects while it waits
 * never starts: the repeat may have run in its place already and its row be deleted.
 */
async function hold(caller: IncomingCaller, idempotency: Idempotency): Promise<{ row: RequestRow; isNew: boolean }> {
  while (Date.now() < caller.deadlineAt && !caller.signal.aborted) {
    const mine = newRow(caller, idempotency);
    if (await (idempotency.explicit ? claimForGood : claimSoon)(mine)) {
      if (!caller.signal.aborted) return { row: mine, isNew: true };
      await forget(mine);
      break;
    }
    const row = await requestRow(mine._id);
    if (row === null) continue;
    if (row.attempt === mine.attempt) return { row, isNew: true };
    if (!isSame(row, idempotency)) throw new AppError('idempotency_key_reused');
    if (row.outcome !== undefined) return { row, isNew: false };
    if (row.lease_until.getTime() <= Date.now()) {
      const taken = { ...row, attempt: mine.attempt, lease_until: mine.lease_until };
      if (await takeOver(row, taken)) return { row: taken, isNew: false };
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
  turn?: Turn,
): Promise<Uint8Array> {
  const forgotten = () => void stored(caller.signal.aborted ? release(row) : forgetAnswered(row, turn)).then(turn?.end);
  try {
    const bytes = await run();
    if (idempotency.explicit) await stored(bytes.length <= maxOutcomeBytes ? keep(row, { bytes }) : release(row));
    else afterResponse(forgotten);
    return bytes;
  } catch (error) {
    const callersFault = error instanceof AppError && error.status < 500;
    if (callersFault && !idempotency.explicit) {
      afterResponse(forgotten);
    } else {
      await stored(callersFault ? keep(row, { code: error.code, details: error.details }) : release(row));
      turn?.end();
    }
    throw error;
  }
}

/** An equal request of this process does not wait for others' rows. One of another process looks again after 25 ms. */
const forgetAnswered = (row: RequestRow, turn: Turn | undefined): Promise<void> => (turn?.isAwaited() ? forget(row) : forgetSoon(row));

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

/** The seed of each running request, and whether an earlier attempt had it. */
const seeds = new WeakMap<Idempotency, { readonly seed: string; readonly isNew: boolean }>();

/** Sets a request's seed from its idempotency row: the same on every attempt, new for a new request. */
export function seedIds(idempotency: Idempotency, seed: string, isNew = false): void {
  seeds.set(idempotency, { seed, isNew });
}

/** False if this is surely the first attempt of its request: then none of its `newId`s can be taken. */
export const mayBeRepeat = ({ idempotency }: Pick<Caller, 'idempotency'>): boolean =>
  idempotency !== undefined && seeds.get(idempotency)?.isNew !== true;

/**
 * The id of a record that this request creates; `label` distinguishes several. A UUID of version 8 (RFC 9562), the same
 * on every attempt of a repeatable request, so that a retry finds the record; otherwise random.
 */
export function newId(caller: Pick<Caller, 'idempotency'> | undefined, label = ''): string {
  const idempotency = caller?.idempotency;
  if (idempotency === undefined) return randomUUID();
  return derivedId(`${seeds.get(idempotency)?.seed ?? idempotency.id}\n${label}`);
}

/** A UUID of version 8 (RFC 9562, section 5.8) from the SHA-256 of a text: equal texts have one id. */
export function derivedId(text: string): string {
  const bytes = hash('sha256', text, 'buffer').subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
