import { batched, growingTo, logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import type { GatewayConfig } from '../config.ts';
import { LocalLimiter, ReplicaCount } from './local-limiter.ts';
import {
  type Consumption,
  connectLimitedCluster,
  connectLimitedRedis,
  consumeInRedis,
  type KeysOf,
  keysOf,
  type LimitedRedis,
  type RateLimitState,
  type SharedQuota,
  taggedKeysOf,
  tagOf,
} from './redis-limiter.ts';

/** Requests per script call. Redis runs nothing else meanwhile, so calls must stay short. */
const maxBatchSize = 200;

interface LimiterOptions {
  readonly redisUrl: string;
  /** True if the URL leads to a node of a Redis Cluster. */
  readonly isCluster?: boolean;
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
  readonly #isCluster: boolean;
  readonly #local: LocalLimiter;
  /** Until when a credential is refused (monotonic ms). Nothing can change before, so Redis is not called. */
  readonly #refused = new LRUCache<string, number>(growingTo(50_000));
  /** Redis answers one call after the other, so calls need not wait here. */
  readonly #consume = batched<Consumption, RateLimitState>((consumptions) => this.#consumeAll(consumptions), {
    maxInFlight: Number.POSITIVE_INFINITY,
    maxBatchSize,
  });
  #isRedisLost = false;

  constructor({ redisUrl, isCluster = false, redisTimeoutMs, windowMs, replicas }: LimiterOptions) {
    this.#windowMs = windowMs;
    this.#isCluster = isCluster;
    this.#local = new LocalLimiter(windowMs, replicas);
    this.redis = isCluster ? connectLimitedCluster(redisUrl, redisTimeoutMs) : connectLimitedRedis(redisUrl, redisTimeoutMs);
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

  /** A call of the script takes keys of one node: in a cluster, those of one organization. */
  async #consumeAll(consumptions: readonly Consumption[]): Promise<RateLimitState[]> {
    if (!this.#isCluster) return this.#consumeTogether(consumptions, keysOf);
    const states = new Map<Consumption, RateLimitState>();
    const groups = Map.groupBy(consumptions, tagOf);
    const consumeGroup = async (group: readonly Consumption[]) => {
      for (const [at, state] of (await this.#consumeTogether(group, taggedKeysOf)).entries()) states.set(group[at] as Consumption, state);
    };
    await Promise.all([...groups.values()].map(consumeGroup));
    return consumptions.map((consumption) => states.get(consumption) as RateLimitState);
  }

  async #consumeTogether(consumptions: readonly Consumption[], keys: KeysOf): Promise<RateLimitState[]> {
    if (this.redis.status === 'ready') {
      try {
        return await consumeInRedis(this.redis, this.#windowMs, consumptions, keys);
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

type Settings = Pick<GatewayConfig, 'REDIS_URL' | 'REDIS_CLUSTER' | 'REDIS_TIMEOUT_MS' | 'RATE_WINDOW_MS'>;

/** The limiter of this gateway, which counts with all others that share its Redis. */
export function openRateLimiter({
  REDIS_URL: redisUrl,
  REDIS_CLUSTER,
  REDIS_TIMEOUT_MS: redisTimeoutMs,
  RATE_WINDOW_MS: windowMs,
}: Settings) {
  const isCluster = REDIS_CLUSTER === 'true';
  const limiter: RateLimiter = new RateLimiter({ redisUrl, isCluster, redisTimeoutMs, windowMs, replicas: () => replicas.alive });
  const replicas = new ReplicaCount(limiter.redis);
  return {
    limiter,
    async close() {
      await replicas.leave();
      await limiter.close();
    },
  };
}
