import { batched, logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import type { GatewayConfig } from '../config.ts';
import {
  type Consumption,
  connectLimitedRedis,
  consumeInRedis,
  type LimitedRedis,
  type RateLimitState,
  type SharedQuota,
} from './limited-redis.ts';
import { ReplicaCount } from './replica-count.ts';

/** Requests per script call. Redis runs nothing else meanwhile, so calls must stay short. */
const maxBatchSize = 200;

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
    this.redis = connectLimitedRedis(redisUrl, redisTimeoutMs);
    this.redis.on('error', (error) => this.#onRedisLost(error));
    this.redis.on('ready', () => {
      if (this.#isRedisLost) logger.info('Redis connection restored; the rate limit is exact over all gateways again');
      this.#isRedisLost = false;
    });
  }

  /**
   * Counts one request of `credential` against `quota`, and against that of its organization. Refused requests are not
   * counted.
   */
  async consume(credential: string, quota: number, shared?: SharedQuota): Promise<RateLimitState> {
    const resetMs = this.#refusedForMs(credential);
    if (resetMs > 0) return { allowed: false, limit: quota, remaining: 0, resetMs };
    const sharedMs = shared === undefined ? 0 : this.#refusedForMs(shared.key);
    if (sharedMs > 0) return { allowed: false, isShared: true, limit: shared?.quota ?? 0, remaining: 0, resetMs: sharedMs };
    const state = await this.#consume({ credential, quota, cost: 1, shared });
    if (!state.allowed) this.#refused.set(state.isShared && shared ? shared.key : credential, performance.now() + state.resetMs);
    return state;
  }

  #refusedForMs(key: string): number {
    const refusedUntil = this.#refused.get(key);
    return refusedUntil === undefined ? 0 : refusedUntil - performance.now();
  }

  /** True while this process knows that `credential` is over its quota, without a call to Redis. */
  isRefused(credential: string): boolean {
    return this.#refusedForMs(credential) > 0;
  }

  /** Reads the state of `credential` and counts nothing. */
  peek(credential: string, quota: number): Promise<RateLimitState> {
    return this.#consume({ credential, quota, cost: 0 });
  }

  async #consumeAll(consumptions: readonly Consumption[]): Promise<RateLimitState[]> {
    if (this.redis.status === 'ready') {
      try {
        return await consumeInRedis(this.redis, this.#windowMs, consumptions);
      } catch (error) {
        this.#onRedisLost(error);
      }
    }
    return consumptions.map((consumption) => this.#consumeLocally(consumption));
  }

  #consumeLocally({ credential, quota, cost, shared }: Consumption): RateLimitState {
    const state = this.#local.consume(credential, quota, cost);
    if (!state.allowed || cost === 0 || shared === undefined) return state;
    const all = this.#local.consume(shared.key, shared.quota, cost);
    return all.allowed ? state : { ...all, isShared: true };
  }

  #onRedisLost(error: unknown): void {
    if (!this.#isRedisLost) logger.warn({ err: error }, 'Redis connection lost; using the local rate limiter');
    this.#isRedisLost = true;
  }

  async close(): Promise<void> {
    this.redis.disconnect();
  }
}

type Settings = Pick<GatewayConfig, 'REDIS_URL' | 'REDIS_TIMEOUT_MS' | 'RATE_WINDOW_MS'>;

/** The limiter of this gateway, which counts with all others that share its Redis. */
export function openRateLimiter({ REDIS_URL: redisUrl, REDIS_TIMEOUT_MS: redisTimeoutMs, RATE_WINDOW_MS: windowMs }: Settings) {
  const limiter: RateLimiter = new RateLimiter({ redisUrl, redisTimeoutMs, windowMs, replicas: () => replicas.alive });
  const replicas = new ReplicaCount(limiter.redis);
  return {
    limiter,
    async close() {
      await replicas.leave();
      await limiter.close();
    },
  };
}

/** The limiter while Redis is unreachable: an exact window in this process, over this gateway's share of the quota. */
class LocalLimiter {
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
