import { logger } from '@webkiln/runtime';
import DataLoader from 'dataloader';
import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { LocalLimiter } from './local-limiter.ts';
import { rateLimitScript } from './rate-limit-script.ts';

/** Where a credential stands: `resetMs` is the time until its oldest counted request leaves the window. */
export interface Standing {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

type LimitedRedis = Redis & { take(keys: number, ...keysAndArguments: (string | number)[]): Promise<number[]> };

interface Taking {
  readonly credential: string;
  readonly quota: number;
  readonly cost: 0 | 1;
}

/** How many requests wait for one call: Redis does nothing else meanwhile. */
const takenMost = 200;
const keyOf = ({ credential }: Taking) => `rate:${credential}`;
const termsOf = ({ quota, cost }: Taking) => [quota, cost];

const standingIn = (replies: readonly number[], at: number, limit: number): Standing => ({
  allowed: replies[at] === 1,
  limit,
  remaining: replies[at + 1] ?? 0,
  resetMs: replies[at + 2] ?? 0,
});

interface LimiterOptions {
  readonly redisUrl: string;
  /** After how long without an answer Redis counts as away. */
  readonly redisTimeoutMs: number;
  readonly windowMs: number;
  /** Gateways alive, for each one's share while Redis is away. */
  readonly replicas: () => number;
}

/** The one limit of decisions.md: `quota` requests per window and credential, exact while Redis answers, a fair share without it. */
export class RateLimiter {
  readonly redis: LimitedRedis;
  readonly #windowMs: number;
  readonly #local: LocalLimiter;
  /** Who was refused until when (ms, monotonic): sparing Redis what cannot change before. */
  readonly #refused = new LRUCache<string, number>({ max: 50_000 });
  /** The requests of one turn are one call. */
  readonly #taking = new DataLoader<Taking, Standing>((takings) => this.#takeAll(takings), {
    cache: false,
    maxBatchSize: takenMost,
    batchScheduleFn: setImmediate,
  });
  #away = false;

  constructor({ redisUrl, redisTimeoutMs, windowMs, replicas }: LimiterOptions) {
    this.#windowMs = windowMs;
    this.#local = new LocalLimiter(windowMs, replicas);
    this.redis = new Redis(redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      socketTimeout: redisTimeoutMs,
      retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
    }) as LimitedRedis;
    this.redis.defineCommand('take', { lua: rateLimitScript });
    this.redis.on('error', (error) => this.#lost(error));
    this.redis.on('ready', () => {
      if (this.#away) logger.info('Redis is back: the limit is exact again');
      this.#away = false;
    });
  }

  /** Counts one request of `credential` against `quota`; refused ones are not counted. */
  async take(credential: string, quota: number): Promise<Standing> {
    const refusedUntil = this.#refused.get(credential);
    if (refusedUntil !== undefined) {
      const resetMs = refusedUntil - performance.now();
      if (resetMs > 0) return { allowed: false, limit: quota, remaining: 0, resetMs };
      this.#refused.delete(credential);
    }
    const standing = await this.#taking.load({ credential, quota, cost: 1 });
    if (!standing.allowed) this.#refused.set(credential, performance.now() + standing.resetMs);
    return standing;
  }

  /** Where `credential` stands, counting nothing. */
  look(credential: string, quota: number): Promise<Standing> {
    return this.#taking.load({ credential, quota, cost: 0 });
  }

  async #takeAll(takings: readonly Taking[]): Promise<Standing[]> {
    if (this.redis.status === 'ready') {
      try {
        const replies = await this.redis.take(takings.length, ...takings.map(keyOf), this.#windowMs, ...takings.flatMap(termsOf));
        return takings.map(({ quota }, at) => standingIn(replies, at * 3, quota));
      } catch (error) {
        this.#lost(error);
      }
    }
    return takings.map(({ credential, quota, cost }) => this.#local.take(credential, quota, cost));
  }

  #lost(error: unknown): void {
    if (!this.#away) logger.warn({ err: error }, 'Redis is away: each gateway limits its share by itself');
    this.#away = true;
  }

  async close(): Promise<void> {
    this.redis.disconnect();
  }
}
