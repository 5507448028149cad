import { setTimeout as delay } from 'node:timers/promises';

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
export async function retry<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RetryableError) || Date.now() + error.afterMs > deadline) throw error;
      await delay(error.afterMs);
    }
  }
}
