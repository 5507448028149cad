import { logger } from '../logger.ts';
import { counter } from '../metrics.ts';

/** Longer than the deadline of anything that a worker waits for: a store operation, a call, a fetch from NATS. */
const defaultSilenceMs = 30_000;

const restartsTotal = counter({
  name: 'webkiln_worker_restarts_total',
  help: 'Runs of background work that were given up because they made no progress; the work was started again',
  labelNames: ['worker'],
});

/** One run of a worker. */
export interface Run {
  /** Aborts when the worker stops or the run is given up. What a run still does afterwards must have no effect. */
  readonly signal: AbortSignal;
  /** Says that something the run waited for has ended, in success or failure. */
  progress(): void;
}

export interface Watch {
  /** The worker's name in logs and metrics, such as "outbox relay". */
  readonly worker: string;
  readonly signal: AbortSignal;
  /** A run without progress for this long is given up; default 30 s. */
  readonly maxSilenceMs?: number;
}

const stuck = new Set<string>();

/** For readiness: throws while a worker that was started again has made no progress since. */
export function workersCheck(): void {
  if (stuck.size > 0) throw new Error(`no progress: ${[...stuck].join(', ')}`);
}

/**
 * Runs `work` once. If it makes no progress for `maxSilenceMs`, its signal aborts and this rejects, so that the caller
 * can start it again: other processes run the same work, so a run that wakes up late does no harm.
 */
export async function watched(
  work: (run: Run) => Promise<void>,
  { worker, signal, maxSilenceMs = defaultSilenceMs }: Watch,
): Promise<void> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const giveUp = new AbortController();
  const timer = setTimeout(() => {
    stuck.add(worker);
    restartsTotal.inc({ worker });
    logger.error({ worker, silent_ms: maxSilenceMs }, 'a worker made no progress; starting it again');
    giveUp.abort();
    reject(new Error(`${worker} made no progress for ${maxSilenceMs} ms`));
  }, maxSilenceMs).unref();
  const progress = () => {
    if (giveUp.signal.aborted) return;
    timer.refresh();
    if (stuck.size > 0) stuck.delete(worker);
  };
  let either: AbortSignal | undefined;
  const run: Run = {
    progress,
    // Created on first use: most runs are short and never read it.
    get signal() {
      either ??= AbortSignal.any([signal, giveUp.signal]);
      return either;
    },
  };
  try {
    await Promise.race([work(run).finally(progress), givenUp]);
  } finally {
    clearTimeout(timer);
  }
}
