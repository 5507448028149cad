import { setTimeout as delay } from 'node:timers/promises';

const patienceMs = 120_000;

/** An obstacle that passes by itself: another attempt after `afterMs` may succeed. */
export class Passing extends Error {
  override readonly name = 'Passing';
  readonly afterMs: number;

  constructor(message: string, afterMs: number) {
    super(message);
    this.afterMs = afterMs;
  }
}

/** Repeats `attempt`, which must be safe to repeat, while what it throws is passing; gives up after 2 min. */
export async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Passing) || Date.now() + error.afterMs > deadline) throw error;
      await delay(error.afterMs);
    }
  }
}
