import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '@webkiln/contract';
import type { Around, Idempotency, IncomingCaller } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { claim, forget, keep, type Outcome, type RequestRow, release, requestRow, takeOver } from './idempotency-store.ts';
import { seedIds } from './ids.ts';

const explicitKeptMs = 24 * 3600_000;
const implicitKeptMs = 10 * 60_000;
const outcomeBytesMost = 1024 * 1024;
const lookAgainMs = 25;

/**
 * Makes calls that carry an idempotency safe to repeat. With a key of the caller's (explicit) the outcome is kept 24 h and replayed;
 * another body is refused, and so is a repeat while the first runs. Without one (implicit) a request is remembered, for 10 min, only
 * when it failed on our side or nobody knows how it ended; equal ones at the same time run one after another, each for itself.
 * An attempt that died is taken over by one other after its deadline; it derives the same ids, so it finds what was made before.
 */
export const idempotencyGuard: Around = async (_method, caller, run) => {
  const { idempotency } = caller;
  if (idempotency === undefined) return run();
  const row = await hold(caller, idempotency);
  return row.outcome === undefined ? attempt(row, caller, idempotency, run) : replay(row.outcome);
};

/**
 * The request's row: held by this attempt, or with its outcome. An attempt whose caller goes away while it waits never begins: the repeat
 * that it waits for may have taken its place, and be forgotten.
 */
async function hold(caller: IncomingCaller, idempotency: Idempotency): Promise<RequestRow> {
  while (Date.now() < caller.deadlineAt && !caller.signal.aborted) {
    const mine = newRow(caller, idempotency);
    if (await claim(mine)) {
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
      // The one that runs may be this one's own first attempt, cut off on the way: only its end tells.
      await pause(lookAgainMs);
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

async function attempt(row: RequestRow, caller: IncomingCaller, idempotency: Idempotency, run: Parameters<Around>[2]): Promise<Uint8Array> {
  const ended = (outcome: Outcome) => (idempotency.explicit ? keep(row, outcome) : forget(row));
  seedIds(idempotency, row.seed);
  try {
    const bytes = await run();
    if (idempotency.explicit) await noted(bytes.length <= outcomeBytesMost ? keep(row, { bytes }) : release(row));
    else onceAnswered(() => void noted(caller.signal.aborted ? release(row) : forget(row)));
    return bytes;
  } catch (error) {
    const callersFault = error instanceof AppError && error.status < 500;
    await noted(callersFault ? ended({ code: error.code, details: error.details }) : release(row));
    throw error;
  }
}

/** Two turns on, when the answer is on its way: a process that dies before that leaves the row, and a repeat finds what was made. */
function onceAnswered(noting: () => void): void {
  setImmediate(() => setImmediate(noting));
}

/** What happened stands, even if it could not be noted: a repeat then waits for the end of the lease. */
async function noted(noting: Promise<void>): Promise<void> {
  try {
    await noting;
  } catch (error) {
    logger.warn({ err: error }, 'the outcome of a repeatable request could not be noted');
  }
}

function replay(outcome: Outcome): { bytes: Uint8Array; replayed: true } {
  if ('code' in outcome) throw new AppError(outcome.code, outcome.details, { replayed: true });
  return { bytes: outcome.bytes, replayed: true };
}
