import { setTimeout as pause } from 'node:timers/promises';

/** Refusals of one caller that are answered at once, in each second. */
const promptPerSecond = 20;
const delayMs = 1000;
/** So many refusals wait in this process; further ones are answered at once. */
const maxWaiting = 5000;

/**
 * Slows callers that send on although they are refused (a tarpit): each of their connections then costs one cheap
 * refusal a second, instead of as many as this process can answer. Who obeys Retry-After never notices.
 */
export class SlowedRefusals {
  /** Of the current second. */
  readonly #refusals = new Map<string, number>();
  readonly #now: () => number;
  readonly #pause: (ms: number) => Promise<void>;
  #second = 0;
  #waiting = 0;

  constructor(now = () => performance.now(), sleep: (ms: number) => Promise<void> = (ms) => pause(ms)) {
    this.#now = now;
    this.#pause = sleep;
  }

  /** Resolves when the refusal of a caller (a credential or an address) is to be answered. */
  async wait(caller: string): Promise<void> {
    this.count(caller);
    await this.hold(caller);
  }

  /** Counts a refusal. */
  count(caller: string): void {
    const refusals = this.#ofThisSecond();
    refusals.set(caller, (refusals.get(caller) ?? 0) + 1);
  }

  /** Resolves after the delay if many requests of the caller were refused this second. */
  async hold(caller: string): Promise<void> {
    const refusals = this.#ofThisSecond().get(caller) ?? 0;
    if (refusals <= promptPerSecond || this.#waiting >= maxWaiting) return;
    this.#waiting++;
    await this.#pause(delayMs);
    this.#waiting--;
  }

  #ofThisSecond(): Map<string, number> {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) this.#refusals.clear();
    this.#second = second;
    return this.#refusals;
  }
}
