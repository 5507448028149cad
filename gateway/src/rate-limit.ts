import { logger } from '@webkiln/runtime';
import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { LocalLimiter } from './local-limiter.ts';

/** Where a credential stands: `resetMs` is the time until its oldest counted request leaves the window. */
export interface Standing {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/**
 * The times of the accepted requests, oldest first, by Redis' own clock: exact over any window and over all gateways, in one call.
 * Replies {accepted, remaining, ms until the oldest leaves}. A cost of 0 only looks.
 */
const take = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local quota, window, cost = tonumber(ARGV[1]), ARGV[2] * 1000, tonumber(ARGV[3])
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and tonumber(oldest) <= now - window do
  redis.call('LPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], 0)
end
local used = redis.call('LLEN', KEYS[1])
if used + cost > quota then
  return {0, math.max(quota - used, 0), math.ceil((redis.call('LINDEX', KEYS[1], used - quota) + window - now) / 1000)}
end
if cost > 0 then
  redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return {1, quota - used - cost, math.ceil(((oldest or now) + window - now) / 1000)}
`;

type LimitedRedis = Redis & { take(key: string, quota: number, windowMs: number, cost: number): Promise<[number, number, number]> };

interface LimiterOptions {
  readonly redisUrl: string;
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
  #away = false;

  constructor({ redisUrl, windowMs, replicas }: LimiterOptions) {
    this.#windowMs = windowMs;
    this.#local = new LocalLimiter(windowMs, replicas);
    this.redis = new Redis(redisUrl, {
      enableAutoPipelining: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      socketTimeout: 500,
      retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
    }) as LimitedRedis;
    this.redis.defineCommand('take', { numberOfKeys: 1, lua: take });
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
    const standing = await this.#ask(credential, quota, 1);
    if (!standing.allowed) this.#refused.set(credential, performance.now() + standing.resetMs);
    return standing;
  }

  /** Where `credential` stands, counting nothing. */
  look(credential: string, quota: number): Promise<Standing> {
    return this.#ask(credential, quota, 0);
  }

  async #ask(credential: string, quota: number, cost: 0 | 1): Promise<Standing> {
    if (this.redis.status === 'ready') {
      try {
        const [accepted, remaining, resetMs] = await this.redis.take(`rate:${credential}`, quota, this.#windowMs, cost);
        return { allowed: accepted === 1, limit: quota, remaining, resetMs };
      } catch (error) {
        this.#lost(error);
      }
    }
    return this.#local.take(credential, quota, cost);
  }

  #lost(error: unknown): void {
    if (!this.#away) logger.warn({ err: error }, 'Redis is away: each gateway limits its share by itself');
    this.#away = true;
  }

  async close(): Promise<void> {
    this.redis.disconnect();
  }
}
