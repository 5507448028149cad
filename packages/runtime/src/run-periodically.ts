import { setTimeout as pause } from 'node:timers/promises';
import { logger } from './logger.ts';

interface Period {
  readonly everyMs: number;
  /** For the log, where a run fails: "files were not reclaimed". */
  readonly failure: string;
}

/** Runs work now and then, never twice at once, and again after a failure; returns how to stop it. Work may be cut off anywhere by the end of the process. */
export function runPeriodically({ everyMs, failure }: Period, work: () => Promise<void>): () => void {
  const stopping = new AbortController();
  void loop(stopping.signal);
  return () => stopping.abort();

  async function loop(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await pause(everyMs, undefined, { signal });
        await work();
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ err: error }, `${failure}; the next run tries again`);
      }
    }
  }
}
