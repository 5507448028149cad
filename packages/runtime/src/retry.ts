import { setTimeout as sleep } from 'node:timers/promises';
import type { PollTimer } from './concurrency/poll-timer.ts';
import { type Run, type Watch, watched } from './concurrency/watched-run.ts';

/** Waits `ms`; returns early, without an error, when the signal aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** Rejects with `refusal()` if `work` takes longer than `ms`. The work itself goes on: it cannot be cancelled. */
export async function within<T>(
  ms: number,
  work: Promise<T> | T,
  refusal: () => Error = () => new Error(`no answer within ${ms} ms`),
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(refusal()), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

interface RetryOptions {
  /** Decides after a failure; any other error is thrown as it is. Default: every error is retryable. */
  readonly isRetryable?: (error: unknown) => boolean;
  /** Default: no limit. */
  readonly maxAttempts?: number;
  /** Between two attempts; default none. A function may back off, add jitter or obey the error. */
  readonly delayMs?: number | ((failedAttempts: number, error: unknown) => number);
  /** Gives up when it aborts, even between two attempts. */
  readonly signal?: AbortSignal;
  /** Epoch milliseconds; default none. Gives up at once if the next attempt would start later. */
  readonly deadlineAt?: number;
  /** Called with each failure that another attempt follows. */
  readonly onFailure?: (error: unknown) => void;
  /** The error to throw after giving up; default: that of the last attempt. */
  readonly exhausted?: (lastError: unknown) => Error;
}

/** Calls `attempt` until it succeeds. */
export async function retry<T>(attempt: (failedAttempts: number) => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { isRetryable, delayMs = 0, signal, onFailure, exhausted } = options;
  const { maxAttempts = Number.POSITIVE_INFINITY, deadlineAt = Number.POSITIVE_INFINITY } = options;
  for (let failedAttempts = 0; ; ) {
    try {
      return await attempt(failedAttempts);
    } catch (error) {
      if (isRetryable?.(error) === false) throw error;
      if (++failedAttempts >= maxAttempts || signal?.aborted) throw exhausted?.(error) ?? error;
      const waitMs = typeof delayMs === 'number' ? delayMs : delayMs(failedAttempts, error);
      if (Date.now() + waitMs > deadlineAt) throw exhausted?.(error) ?? error;
      onFailure?.(error);
      if (waitMs > 0) await pause(waitMs, signal);
      if (signal?.aborted) throw exhausted?.(error) ?? error;
    }
  }
}

interface Loop extends Watch {
  /** A run that fails or is given up does not end the loop. */
  readonly onFailure: (error: unknown) => void;
}

/** From the end of one run to the start of the next. Each run sets the timer anew. */
type Delay = { readonly delayMs: number } | { readonly timer: PollTimer };

/**
 * Runs `work` again and again until the signal aborts, never twice at once. Except: a run that makes no progress is
 * given up, and may wake up beside the next one.
 */
export async function repeat(work: (run: Run) => Promise<void>, { onFailure, ...options }: Loop & Delay): Promise<void> {
  const { worker, signal, maxSilenceMs, ...delay } = options;
  while (!signal.aborted) {
    await watched(work, { worker, signal, maxSilenceMs }).catch(onFailure);
    await ('timer' in delay ? delay.timer.wait(signal) : pause(delay.delayMs, signal));
  }
}

/** Work that cannot be done now, through no fault of its own: try again after `delayMs`, however often. */
export class Postponed extends Error {
  readonly delayMs: number;

  constructor(message: string, delayMs: number) {
    super(message);
    this.delayMs = delayMs;
  }
}
