import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '@webkiln/contract';

/** Attempts that wait in one process, for one account and in all: few beside the gateway's connections to identity. */
const maxWaitingPerAccount = 8;
const maxWaiting = 48;

/** Answers slowed attempts late. One that waits holds a timer and its request, and nothing of the database. */
export class SlowedAttempts {
  readonly #waiting = new Map<string, number>();
  #inAll = 0;

  /** Resolves after `delayMs`. Throws `rate_limited` if too many attempts wait; rejects if the client goes away. */
  async wait(email: string, delayMs: number, signal: AbortSignal): Promise<void> {
    if (delayMs === 0) return;
    const waiting = this.#waiting.get(email) ?? 0;
    if (waiting >= maxWaitingPerAccount || this.#inAll >= maxWaiting) {
      throw new AppError('rate_limited', [
        {
          path: '',
          message:
            'Many attempts to sign in to this account failed elsewhere: try again in 10 minutes, or from a device that you used before',
        },
      ]);
    }
    this.#waiting.set(email, waiting + 1);
    this.#inAll++;
    try {
      await wait(delayMs, undefined, { signal });
    } finally {
      this.#inAll--;
      const left = (this.#waiting.get(email) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(email);
      else this.#waiting.set(email, left);
    }
  }
}
