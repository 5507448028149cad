import { logger } from './logger.ts';
import { pause, repeat } from './retry.ts';

/** A run over everything that is stored may take minutes; one that takes longer is given up. */
const maxRunMs = 600_000;

interface Period {
  readonly everyMs: number;
  /** The name of the work in logs and metrics, such as "garbage collection of files". */
  readonly name: string;
}

/**
 * Runs work every `everyMs`, first after one interval, and continues after a failure. Returns a function that stops it.
 * The end of the process may interrupt a run.
 */
export function runPeriodically({ everyMs, name }: Period, work: () => Promise<void>): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const onFailure = (error: unknown) => {
    if (!signal.aborted) logger.warn({ err: error }, `${name} failed; the next run tries again`);
  };
  void pause(everyMs, signal).then(() => repeat(work, { worker: name, maxSilenceMs: maxRunMs, signal, delayMs: everyMs, onFailure }));
  return () => stopping.abort();
}
