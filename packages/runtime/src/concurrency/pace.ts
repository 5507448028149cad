import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

const maxKeys = 10_000;

interface PaceOptions {
  /** Callers that would wait longer are refused, which bounds how many wait. */
  readonly maxWaitMs: number;
  readonly refusal: () => Error;
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** How often the work of a key may start. */
interface Rate {
  readonly perSecond: number;
  /** The starts that are allowed at once. */
  readonly burst: number;
}

/**
 * Spreads work of each key (an organization) over time, so that what one asks for in a moment does not take all
 * processors from others (GCRA, ITU-T I.371). Work costs the most after its response: events, webhooks, mails.
 */
export class Pace {
  /** The time at which the last work of a key would have started without a burst, in milliseconds. */
  readonly #lastStarts = new LRUCache<string, number>({ max: maxKeys });
  readonly #options: Required<PaceOptions>;

  constructor(options: PaceOptions) {
    this.#options = { now: () => performance.now(), sleep: (ms) => pause(ms), ...options };
  }

  /** Waits until the work may start, in the order of calls. Throws `refusal()`, at once, if that is too late. */
  async wait(key: string, { perSecond, burst }: Rate): Promise<void> {
    const { maxWaitMs, refusal, now, sleep } = this.#options;
    const intervalMs = 1000 / perSecond;
    const at = now();
    const start = Math.max(at, (this.#lastStarts.get(key) ?? 0) + intervalMs);
    const waitMs = start - at - (burst - 1) * intervalMs;
    if (waitMs > maxWaitMs) throw refusal();
    this.#lastStarts.set(key, start);
    if (waitMs > 0) await sleep(waitMs);
  }
}
