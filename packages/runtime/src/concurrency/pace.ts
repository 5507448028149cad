import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

const maxKeys = 10_000;

export interface PaceOptions {
  /** Callers that would wait longer are refused, which bounds how many wait. */
  readonly maxWaitMs: number;
  readonly refusal: () => Error;
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** How often a key gets a turn. */
export interface Rate {
  readonly perSecond: number;
  /** So many turns are given at once. */
  readonly burst: number;
}

/**
 * Spreads work of each key (an organization) over time, so that what one asks for in a moment does not take all
 * processors from others (GCRA, ITU-T I.371). Work costs the most after its response: events, webhooks, mails.
 */
export class Pace {
  /** The time at which the last turn of a key would have come without a burst, in milliseconds. */
  readonly #lastTurns = new LRUCache<string, number>({ max: maxKeys });
  readonly #options: Required<PaceOptions>;

  constructor(options: PaceOptions) {
    this.#options = { now: () => performance.now(), sleep: (ms) => pause(ms), ...options };
  }

  /** Waits for a turn, in the order of calls. Throws `refusal()`, at once, if it would come too late. */
  async turn(key: string, { perSecond, burst }: Rate): Promise<void> {
    const { maxWaitMs, refusal, now, sleep } = this.#options;
    const intervalMs = 1000 / perSecond;
    const at = now();
    const turn = Math.max(at, (this.#lastTurns.get(key) ?? 0) + intervalMs);
    const waitMs = turn - at - (burst - 1) * intervalMs;
    if (waitMs > maxWaitMs) throw refusal();
    this.#lastTurns.set(key, turn);
    if (waitMs > 0) await sleep(waitMs);
  }
}
