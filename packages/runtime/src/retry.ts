import { setTimeout as sleep } from 'node:timers/promises';

/** Waits `ms`; returns early, without an error, when the signal aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

interface RetryOptions {
  /** Decides after a failure; any other error is thrown as it is. */
  readonly isRetryable: (error: unknown) => boolean;
  /** Default: no limit. */
  readonly maxAttempts?: number;
  /** Between two attempts; default none. A function may back off and add jitter. */
  readonly delayMs?: number | ((failedAttempts: number) => number);
  /** The error to throw when the last attempt failed; default: its own. */
  readonly exhausted?: (lastError: unknown) => Error;
  /** Ends the wait between two attempts. `isRetryable` decides whether there is another one. */
  readonly signal?: AbortSignal;
}

/** Calls `attempt` until it succeeds. */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { isRetryable, maxAttempts = Number.POSITIVE_INFINITY, delayMs = 0, exhausted, signal } = options;
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      if (attempts >= maxAttempts) throw exhausted?.(error) ?? error;
    }
    const waitMs = typeof delayMs === 'number' ? delayMs : delayMs(attempts);
    if (waitMs > 0) await pause(waitMs, signal);
  }
}

interface RepeatOptions {
  readonly signal: AbortSignal;
  /** From the end of one run to the start of the next. */
  readonly delayMs: number;
  /** A failed run does not end the loop. */
  readonly onFailure: (error: unknown) => void;
}

/** Runs `work` again and again, never twice at once, until the signal aborts. */
export async function repeat(work: () => Promise<void>, { signal, delayMs, onFailure }: RepeatOptions): Promise<void> {
  while (!signal.aborted) {
    await work().catch(onFailure);
    await pause(delayMs, signal);
  }
}
