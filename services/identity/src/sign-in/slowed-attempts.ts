import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '@webkiln/contract';

/** Attempts that wait in one process, for one account and in all: few beside the gateway's connections to identity. */
const maxWaitingPerAccount = 8;
const maxWaiting = 48;

/** Answers slowed attempts late. One that waits holds a timer and its request, and nothing of the database. */
export class SlowedAttempts {
  readonly #waiting = new Map<string, number>();
  #inAll = 0;

  /** Throws `rate_limited` if a slowed attempt at this account would be refused, and the account is being attacked. */
  assertRoom(email: string): void {
    if (this.#waiting.has(email)) this.#assertPlace(email);
  }

  /**
   * Takes a place at once. Resolves after `delayMs`. Throws `rate_limited` if too many attempts wait; rejects if the
   * client goes away.
   */
  async wait(email: string, delayMs: number, signal: AbortSignal): Promise<void> {
    this.#assertPlace(email);
    this.#waiting.set(email, (this.#waiting.get(email) ?? 0) + 1);
    this.#inAll++;
    try {
      await pause(delayMs, undefined, { signal });
    } finally {
      this.#inAll--;
      const left = (this.#waiting.get(email) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(email);
      else this.#waiting.set(email, left);
    }
  }

  #assertPlace(email: string): void {
    if ((this.#waiting.get(email) ?? 0) < maxWaitingPerAccount && this.#inAll < maxWaiting) return;
    const message =
      'Many attempts to sign in to this account failed elsewhere: try again in 10 minutes, or from a device that you used before';
    throw new AppError('rate_limited', [{ path: '', message }]);
  }
}
