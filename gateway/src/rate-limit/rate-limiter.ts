import { batched, logger } from '@webkiln/runtime';
import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { LocalLimiter, type RateLimitState } from './local-limiter.ts';
import { rateLimitScript } from './rate-limit-script.ts';

type LimitedRedis = Redis & { consume(keys: number, ...keysAndArguments: (string | number)[]): Promise<number[]> };

interface Consumption {
  readonly credential: string;
  readonly quota: number;
  readonly cost: 0 | 1;
}

/** Requests per script call. Redis runs nothing else meanwhile, so calls must stay short. */
const maxBatchSize = 200;
const keyOf = ({ credential }: Consumption) => `rate:${credential}`;
const argumentsOf = ({ quota, cost }: Consumption) => [quota, cost];

const stateFrom = (replies: readonly number[], at: number, limit: number): RateLimitState => ({
  allowed: replies[at] === 1,
  limit,
  remaining: replies[at + 1] ?? 0,
  resetMs: replies[at + 2] ?? 0,
});

interface LimiterOptions {
  readonly redisUrl: string;
  /** Redis counts as lost after this long without a reply. */
  readonly redisTimeoutMs: number;
  readonly windowMs: number;
  /** Live gateways; each allows its share of the quota while Redis is lost. */
  readonly replicas: () => number;
}

/**
 * Sliding-window limit: `quota` requests per window and credential. Exact over all gateways; a local share of it
 * while Redis is lost.
 */
export class RateLimiter {
  readonly redis: LimitedRedis;
  readonly #windowMs: number;
  readonly #local: LocalLimiter;
  /** Until when a credential is refused (monotonic ms). Nothing can change before, so Redis is not called. */
  readonly #refused = new LRUCache<string, number>({ max: 50_000 });
  /** Redis answers one call after the other, so calls need not wait here. */
  readonly #consume = batched<Consumption, RateLimitState>((consumptions) => this.#consumeAll(consumptions), {
    maxInFlight: Number.POSITIVE_INFINITY,
    maxBatchSize,
  });
  #isRedisLost = false;

  constructor({ redisUrl, redisTimeoutMs, windowMs, replicas }: LimiterOptions) {
    this.#windowMs = windowMs;
    this.#local = new LocalLimiter(windowMs, replicas);
    this.redis = new Redis(redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      socketTimeout: redisTimeoutMs,
      retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
    }) as LimitedRedis;
    this.redis.defineCommand('consume', { lua: rateLimitScript });
    this.redis.on('error', (error) => this.#onRedisLost(error));
    this.redis.on('ready', () => {
      if (this.#isRedisLost) logger.info('Redis connection restored; the rate limit is exact over all gateways again');
      this.#isRedisLost = false;
    });
  }

  /** Counts one request of `credential` against `quota`. Refused requests are not counted. */
  async consume(credential: string, quota: number): Promise<RateLimitState> {
    const refusedUntil = this.#refused.get(credential);
    if (refusedUntil !== undefined) {
      const resetMs = refusedUntil - performance.now();
      if (resetMs > 0) return { allowed: false, limit: quota, remaining: 0, resetMs };
      this.#refused.delete(credential);
    }
    const state = await this.#consume({ credential, quota, cost: 1 });
    if (!state.allowed) this.#refused.set(credential, performance.now() + state.resetMs);
    return state;
  }

  /** True while this process knows that `credential` is over its quota; asks nobody. */
  isRefused(credential: string): boolean {
    return (this.#refused.get(credential) ?? 0) > performance.now();
  }

  /** Reads the state of `credential` and counts nothing. */
  peek(credential: string, quota: number): Promise<RateLimitState> {
    return this.#consume({ credential, quota, cost: 0 });
  }

  async #consumeAll(consumptions: readonly Consumption[]): Promise<RateLimitState[]> {
    if (this.redis.status === 'ready') {
      try {
        const replies = await this.redis.consume(
          consumptions.length,
          ...consumptions.map(keyOf),
          this.#windowMs,
          ...consumptions.flatMap(argumentsOf),
        );
        return consumptions.map(({ quota }, at) => stateFrom(replies, at * 3, quota));
      } catch (error) {
        this.#onRedisLost(error);
      }
    }
    return consumptions.map(({ credential, quota, cost }) => this.#local.consume(credential, quota, cost));
  }

  #onRedisLost(error: unknown): void {
    if (!this.#isRedisLost) logger.warn({ err: error }, 'Redis connection lost; using the local rate limiter');
    this.#isRedisLost = true;
  }

  async close(): Promise<void> {
    this.redis.disconnect();
  }
}
