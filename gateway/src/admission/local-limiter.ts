import { randomUUID } from 'node:crypto';
import { growingTo } from '@webkiln/runtime';
import type { Cluster, Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';

const heartbeatIntervalMs = 2000;
const heartbeatExpiryMs = 7000;
/** How long a lower replica count is ignored. After a Redis restart every gateway needs one heartbeat to reappear. */
const replicaCountGraceMs = 7000;

/** Counts the gateways that share a Redis, so that each knows its share of the rate limit if Redis is lost. */
export class ReplicaCount {
  readonly #id = randomUUID();
  readonly #redis: Redis | Cluster;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #alive = 1;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(redis: Redis | Cluster, now: () => number = Date.now) {
    this.#redis = redis;
    this.#now = now;
    this.#redis.on('ready', this.heartbeat);
    this.#timer = setInterval(this.heartbeat, heartbeatIntervalMs).unref();
  }

  /** Gateways alive, this one included; the last known count while Redis is lost. */
  get alive(): number {
    return this.#alive;
  }

  /** Announces this gateway and counts the live ones; runs every two seconds. */
  readonly heartbeat = async (): Promise<void> => {
    if (this.#redis.status !== 'ready') return;
    const now = this.#now();
    const replies = await this.#redis
      .multi()
      .zadd('gateways', now, this.#id)
      .zremrangebyscore('gateways', 0, now - heartbeatExpiryMs)
      .zcard('gateways')
      .exec()
      .catch(() => null);
    const alive = replies?.[2]?.[1];
    if (typeof alive !== 'number' || (alive < this.#alive && now - this.#countedAt < replicaCountGraceMs)) return;
    this.#alive = Math.max(1, alive);
    this.#countedAt = now;
  };

  async leave(): Promise<void> {
    clearInterval(this.#timer);
    this.#redis.off('ready', this.heartbeat);
    if (this.#redis.status === 'ready') await this.#redis.zrem('gateways', this.#id).catch(() => undefined);
  }
}

/** The limiter while Redis is unreachable: an exact window in this process, over this gateway's share of the quota. */
export class LocalLimiter {
  readonly #times = new LRUCache<string, number[]>(growingTo(50_000));
  readonly #windowMs: number;
  readonly #replicas: () => number;

  constructor(windowMs: number, replicas: () => number) {
    this.#windowMs = windowMs;
    this.#replicas = replicas;
  }

  /** A `cost` of 0 only reads the state. */
  consume(credential: string, quota: number, cost: 0 | 1) {
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
