import { batched, growingTo, logger } from '@webkiln/runtime';
import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { GatewayConfig } from '../config.ts';
import { LocalLimiter, ReplicaCount } from './local-limiter.ts';

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
  readonly #refused = new LRUCache<string, number>(growingTo(50_000));
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

type LimitedRedis = Redis & { consume(keys: number, ...keysAndArguments: (string | number)[]): Promise<number[]> };

export interface Consumption {
  readonly credential: string;
  readonly quota: number;
  readonly cost: 0 | 1;
  readonly shared?: SharedQuota | undefined;
}

/** The quota of all credentials of an organization. */
interface SharedQuota {
  readonly key: string;
  readonly quota: number;
}

/** The state of a credential: `resetMs` is the time until its oldest counted request leaves the window. */
export interface RateLimitState {
  readonly allowed: boolean;
  /** True if the quota of the organization refused the request; the figures are that quota's. */
  readonly isShared?: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

const keysOf = ({ credential, shared }: Consumption) => [`rate:${credential}`, `rate:${shared?.key}`];
const argumentsOf = ({ quota, cost, shared }: Consumption) => [cost, quota, shared?.quota ?? -1];

function stateFrom(replies: readonly number[], at: number, { quota, shared }: Consumption): RateLimitState {
  const isShared = replies[at] === -1;
  const figures = { limit: isShared ? (shared?.quota ?? 0) : quota, remaining: replies[at + 1] ?? 0, resetMs: replies[at + 2] ?? 0 };
  return isShared ? { allowed: false, isShared, ...figures } : { allowed: replies[at] === 1, ...figures };
}

/** Connects to Redis with the script of the limit. Redis counts as lost after `timeoutMs` without a reply. */
export function connectLimitedRedis(url: string, timeoutMs: number): LimitedRedis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    socketTimeout: timeoutMs,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
    // After a failover the old primary is a replica, and the address leads to the new one.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  }) as LimitedRedis;
  redis.defineCommand('consume', { lua: rateLimitScript });
  return redis;
}

/** Counts the requests of all gateways in one call of the script, and returns the state after each. */
async function consumeInRedis(redis: LimitedRedis, windowMs: number, consumptions: readonly Consumption[]): Promise<RateLimitState[]> {
  const replies = await redis.consume(
    2 * consumptions.length,
    ...consumptions.flatMap(keysOf),
    windowMs,
    ...consumptions.flatMap(argumentsOf),
  );
  return consumptions.map((consumption, at) => stateFrom(replies, at * 3, consumption));
}

/**
 * Sliding-window log: each key lists the times of its accepted requests, oldest first, by Redis' clock.
 * Exact over any window and over all gateways. One call serves a batch of requests, two keys each: the credential's and
 * its organization's. Both count a request, or neither does.
 * ARGV: the window in ms, then cost, quota and the organization's quota for each request. A cost of 0 only reads; a
 * quota of -1 is not asked.
 * Returns for each request: 1 accepted, 0 refused, -1 refused by the organization's quota; then of the quota that
 * refused, else of the credential's: remaining, and ms until the oldest request leaves the window.
 */
const rateLimitScript = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = ARGV[1] * 1000
local function used(key)
  local oldest = redis.call('LINDEX', key, 0)
  while oldest and tonumber(oldest) <= now - window do
    redis.call('LPOP', key)
    oldest = redis.call('LINDEX', key, 0)
  end
  return redis.call('LLEN', key), oldest
end
local function count(key)
  redis.call('RPUSH', key, string.format('%.0f', now))
  redis.call('PEXPIRE', key, ARGV[1])
end
local replies = {}
for i = 1, #KEYS / 2 do
  local own, shared = KEYS[2 * i - 1], KEYS[2 * i]
  local cost, quota, sharedQuota = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
  local ownUsed, oldest = used(own)
  local accepted, remaining, since = 1, quota - ownUsed - cost, oldest or now
  if ownUsed + cost > quota then
    accepted, remaining, since = 0, math.max(quota - ownUsed, 0), redis.call('LINDEX', own, ownUsed - quota)
  elseif cost > 0 then
    if sharedQuota >= 0 then
      local sharedUsed = used(shared)
      if sharedUsed + cost > sharedQuota then
        accepted, remaining, since = -1, 0, redis.call('LINDEX', shared, sharedUsed - sharedQuota) or now
      else
        count(shared)
      end
    end
    if accepted == 1 then count(own) end
  end
  replies[3 * i - 2], replies[3 * i - 1], replies[3 * i] = accepted, remaining, math.ceil((since + window - now) / 1000)
end
return replies
`;
