import { ApiError, ConnectionError } from './errors.ts';

/** A longer wait than this is the caller's to decide on. */
const maxWaitMs = 65_000;
const firstBackoffMs = 500;
const maxBackoffMs = 8_000;
/** Calls that wait for the same moment do not all go at once. */
const spreadMs = 500;
const passing: readonly number[] = [408, 429, 500, 502, 503, 504];

/** Waits; rejects with the signal's reason once it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Milliseconds until a failed attempt is worth a repeat: what the platform said, else a random time that grows. */
export function waitBeforeRetry(error: unknown, attempt: number): number | undefined {
  const backoffMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** attempt) * (0.5 + Math.random() / 2);
  if (error instanceof ConnectionError) return backoffMs;
  if (!(error instanceof ApiError)) return undefined;
  // The first attempt of a POST, whose answer was lost, is still at work.
  if (!passing.includes(error.status) && error.code !== 'request_in_flight') return undefined;
  if (error.retryAfter === undefined) return backoffMs;
  const waitMs = error.retryAfter * 1000 + Math.random() * spreadMs;
  return waitMs > maxWaitMs ? undefined : waitMs;
}

/** What the latest answer said of the key's rate limit. */
export class RateLimit {
  /** Requests in a window. */
  limit: number | undefined;
  remaining: number | undefined;
  #freeAt = 0;

  note(headers: Headers): void {
    const number = (name: string) => (headers.has(name) ? Number(headers.get(name)) : undefined);
    this.limit = number('x-ratelimit-limit') ?? this.limit;
    this.remaining = number('x-ratelimit-remaining') ?? this.remaining;
    this.#freeAt = this.remaining === 0 ? Date.now() + (number('x-ratelimit-reset') ?? 0) * 1000 : 0;
  }

  /** Waits until the platform takes another request; a longer wait is left to the 429. */
  async wait(signal?: AbortSignal): Promise<void> {
    const waitMs = this.#freeAt - Date.now();
    if (waitMs > 0 && waitMs <= maxWaitMs) await pause(waitMs + Math.random() * spreadMs, signal);
  }
}
