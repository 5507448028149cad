import { retry } from '@webkiln/runtime';

const timeoutMs = 120_000;

/** A temporary failure. Another attempt after `afterMs` may succeed. */
export class RetryableError extends Error {
  override readonly name = 'RetryableError';
  readonly afterMs: number;

  constructor(message: string, afterMs: number) {
    super(message);
    this.afterMs = afterMs;
  }
}

/** Repeats `attempt`, which must be idempotent, while it throws RetryableError. Gives up after 2 min. */
export function retryTemporaryFailures<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  return retry(attempt, {
    isRetryable: (error) => error instanceof RetryableError && Date.now() + error.afterMs <= deadline,
    delayMs: (_failedAttempts, error) => (error as RetryableError).afterMs,
  });
}
