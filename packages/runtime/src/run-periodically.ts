import { logger } from './logger.ts';
import { pause, repeat } from './retry.ts';

interface Period {
  readonly everyMs: number;
  /** Logged when a run fails, such as "garbage collection of files failed". */
  readonly failure: string;
}

/**
 * Runs work every `everyMs`, first after one interval, and continues after a failure. Returns a function that stops it.
 * The end of the process may interrupt a run.
 */
export function runPeriodically({ everyMs, failure }: Period, work: () => Promise<void>): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const onFailure = (error: unknown) => {
    if (!signal.aborted) logger.warn({ err: error }, `${failure}; the next run tries again`);
  };
  void pause(everyMs, signal).then(() => repeat(work, { signal, delayMs: everyMs, onFailure }));
  return () => stopping.abort();
}
