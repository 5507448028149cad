import { LRUCache } from 'lru-cache';

/** The state of a credential: `resetMs` is the time until its oldest counted request leaves the window. */
export interface RateLimitState {
  readonly allowed: boolean;
  /** True if the quota of the organization refused the request; the figures are that quota's. */
  readonly isShared?: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/** The limiter while Redis is unreachable: an exact window in this process, over this gateway's share of the quota. */
export class LocalLimiter {
  readonly #times = new LRUCache<string, number[]>({ max: 50_000 });
  readonly #windowMs: number;
  readonly #replicas: () => number;

  constructor(windowMs: number, replicas: () => number) {
    this.#windowMs = windowMs;
    this.#replicas = replicas;
  }

  /** A `cost` of 0 only reads the state. */
  consume(credential: string, quota: number, cost: 0 | 1): RateLimitState {
    const share = Math.max(1, Math.floor(quota / this.#replicas()));
    const now = performance.now();
    const times = this.#times.get(credential) ?? [];
    const firstLive = times.findIndex((time) => time > now - this.#windowMs);
    times.splice(0, firstLive === -1 ? times.length : firstLive);
    const allowed = times.length + cost <= share;
    if (allowed && cost === 1) times.push(now);
    this.#times.set(credential, times);
    return { allowed, limit: quota, remaining: share - times.length, resetMs: (times[0] ?? now) + this.#windowMs - now };
  }
}
