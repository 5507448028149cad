import { Redis } from 'ioredis';
import type { RateLimitState } from './local-limiter.ts';
import { rateLimitScript } from './rate-limit-script.ts';

export type LimitedRedis = Redis & { consume(keys: number, ...keysAndArguments: (string | number)[]): Promise<number[]> };

export interface Consumption {
  readonly credential: string;
  readonly quota: number;
  readonly cost: 0 | 1;
  readonly shared?: SharedQuota | undefined;
}

/** The quota of all credentials of an organization. */
export interface SharedQuota {
  readonly key: string;
  readonly quota: number;
}

const keysOf = ({ credential, shared }: Consumption) => [`rate:${credential}`, `rate:${shared?.key}`];
const argumentsOf = ({ quota, cost, shared }: Consumption) => [cost, quota, shared?.quota ?? -1];

const stateFrom = (replies: readonly number[], at: number, { quota, shared }: Consumption): RateLimitState => ({
  allowed: replies[at] === 1,
  ...(replies[at] === -1 ? { limit: shared?.quota ?? 0, isShared: true } : { limit: quota }),
  remaining: replies[at + 1] ?? 0,
  resetMs: replies[at + 2] ?? 0,
});

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
export async function consumeInRedis(
  redis: LimitedRedis,
  windowMs: number,
  consumptions: readonly Consumption[],
): Promise<RateLimitState[]> {
  const replies = await redis.consume(
    2 * consumptions.length,
    ...consumptions.flatMap(keysOf),
    windowMs,
    ...consumptions.flatMap(argumentsOf),
  );
  return consumptions.map((consumption, at) => stateFrom(replies, at * 3, consumption));
}
