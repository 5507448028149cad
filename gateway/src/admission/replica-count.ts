import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

const heartbeatIntervalMs = 2000;
const heartbeatExpiryMs = 7000;
/** How long a lower replica count is ignored. After a Redis restart every gateway needs one heartbeat to reappear. */
const replicaCountGraceMs = 7000;

/** Counts the gateways that share a Redis, so that each knows its share of the rate limit if Redis is lost. */
export class ReplicaCount {
  readonly #id = randomUUID();
  readonly #redis: Redis;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #alive = 1;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(redis: Redis, now: () => number = Date.now) {
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
