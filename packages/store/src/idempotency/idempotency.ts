import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '@webkiln/contract';
import type { Idempotency, IncomingCaller, Interceptor } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { seedIds } from '../model/ids.ts';
import {
  claimForGood,
  claimSoon,
  forget,
  keep,
  type Outcome,
  type RequestRow,
  release,
  requestRow,
  takeOver,
} from './idempotency-store.ts';

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
  const row = await hold(caller, idempotency);
  return row.outcome === undefined ? attempt(row, caller, idempotency, run) : replay(row.outcome);
};

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
    if (row.body !== idempotency.body) throw new AppError('idempotency_key_reused');
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

const newRow = ({ principal, deadlineAt }: IncomingCaller, { id, body, explicit }: Idempotency): RequestRow => ({
  _id: id,
  org_id: principal.org_id,
  body,
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
): Promise<Uint8Array> {
  const ended = (outcome: Outcome) => (idempotency.explicit ? keep(row, outcome) : forget(row));
  seedIds(idempotency, row.seed);
  try {
    const bytes = await run();
    if (idempotency.explicit) await stored(bytes.length <= maxOutcomeBytes ? keep(row, { bytes }) : release(row));
    else afterResponse(() => void stored(caller.signal.aborted ? release(row) : forget(row)));
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
