import { Cluster, Redis } from 'ioredis';

export type LimitedRedis = (Redis | Cluster) & { consume(keys: number, ...keysAndArguments: (string | number)[]): Promise<number[]> };

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

/** The state of a credential: `resetMs` is the time until its oldest counted request leaves the window. */
export interface RateLimitState {
  readonly allowed: boolean;
  /** True if the quota of the organization refused the request; the figures are that quota's. */
  readonly isShared?: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

export type KeysOf = (consumption: Consumption) => readonly string[];

export const keysOf: KeysOf = ({ credential, shared }) => [`rate:${credential}`, `rate:${shared?.key}`];
/** What decides which node of a cluster holds a key: its part in braces. */
export const tagOf = ({ credential, shared }: Consumption): string => shared?.key ?? credential;
/** The same keys in a cluster: those of an organization and its credentials are on one node. */
export const taggedKeysOf: KeysOf = (consumption) => {
  const shared = `rate:{${tagOf(consumption)}}`;
  return [`${shared}:${consumption.credential}`, shared];
};
const argumentsOf = ({ quota, cost, shared }: Consumption) => [cost, quota, shared?.quota ?? -1];

function stateFrom(replies: readonly number[], at: number, { quota, shared }: Consumption): RateLimitState {
  const isShared = replies[at] === -1;
  const figures = { limit: isShared ? (shared?.quota ?? 0) : quota, remaining: replies[at + 1] ?? 0, resetMs: replies[at + 2] ?? 0 };
  return isShared ? { allowed: false, isShared, ...figures } : { allowed: replies[at] === 1, ...figures };
}

const retryDelayMs = (attempt: number) => Math.min(attempt * 100, 1000);

/** Connects to Redis with the script of the limit. Redis counts as lost after `timeoutMs` without a reply. */
export function connectLimitedRedis(url: string, timeoutMs: number): LimitedRedis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    socketTimeout: timeoutMs,
    retryStrategy: retryDelayMs,
    // After a failover the old primary is a replica, and the address leads to the new one.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  }) as LimitedRedis;
  redis.defineCommand('consume', { lua: rateLimitScript });
  return redis;
}

/** The same for a Redis Cluster. The node at `url` names the others, which have its credentials and TLS as it has. */
export function connectLimitedCluster(url: string, timeoutMs: number): LimitedRedis {
  const { protocol, username, password } = new URL(url);
  const account = { username: decodeURIComponent(username) || undefined, password: decodeURIComponent(password) || undefined };
  const cluster = new Cluster([url], {
    enableOfflineQueue: false,
    clusterRetryStrategy: retryDelayMs,
    slotsRefreshTimeout: timeoutMs,
    // With the driver's pauses, so often is soon: without the node this gateway counts itself.
    maxRedirections: 3,
    // Certificates are of names, which the driver would replace by addresses.
    dnsLookup: (address, callback) => callback(null, address),
    redisOptions: { ...account, socketTimeout: timeoutMs, ...(protocol === 'rediss:' && { tls: {} }) },
  }) as LimitedRedis;
  cluster.defineCommand('consume', { lua: rateLimitScript });
  return cluster;
}

/** Counts the requests of all gateways in one call of the script, and returns the state after each. */
export async function consumeInRedis(
  redis: LimitedRedis,
  windowMs: number,
  consumptions: readonly Consumption[],
  keys: KeysOf,
): Promise<RateLimitState[]> {
  const replies = await redis.consume(
    2 * consumptions.length,
    ...consumptions.flatMap(keys),
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
