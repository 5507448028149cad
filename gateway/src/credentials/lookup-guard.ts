import { AppError } from '@webkiln/contract';
import { RequestSlots } from '../in-flight/request-slots.ts';
import type { RateLimiter } from '../rate-limit/rate-limiter.ts';

/** Lookups of unknown credentials per window, of a network that has used up its quota of refused requests. */
const lookupsBeyondQuota = 10;
const concurrency = { slots: 256, maxPerKey: 8, maxWaitingPerKey: 256, maxWaiting: 4096, maxWaitMs: 2000 };

/** The key under which the rate limit counts a network's requests without a valid credential. */
export const addressKey = (network: string): string => `address:${network}`;

/**
 * Bounds what strangers can make us look up: whatever has the form of a credential costs a read of the database. A
 * network over its quota of refused requests has few lookups left, so that a valid credential that this gateway has
 * not seen yet gets through at a later try. Known credentials need no lookup and are never affected.
 */
export class LookupGuard {
  readonly #limiter: RateLimiter;
  readonly #slots = new RequestSlots({ bound: 'credential lookups', ...concurrency });

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /** Throws `rate_limited`, `too_many_in_flight` or `overloaded` instead of running the lookup. */
  run<T>(network: string, lookUp: () => Promise<T>): Promise<T> {
    return this.#slots.run(network, async () => {
      if (this.#limiter.isRefused(addressKey(network))) {
        const { allowed } = await this.#limiter.consume(`lookup:${network}`, lookupsBeyondQuota);
        if (!allowed) throw new AppError('rate_limited');
      }
      return lookUp();
    });
  }
}
