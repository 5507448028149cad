import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

const beatMs = 2000;
const aliveMs = 7000;
/** For how long fewer than before are not believed: who shares a Redis that came back empty, or was short of time, beats again by then. */
const doubtMs = 7000;

/** Counts the gateways that share a Redis, so that each knows its share of the limit should Redis go away. */
export class Replicas {
  readonly #id = randomUUID();
  readonly #redis: Redis;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #alive = 1;
  #seenAt = Number.NEGATIVE_INFINITY;

  constructor(redis: Redis, now: () => number = Date.now) {
    this.#redis = redis;
    this.#now = now;
    this.#redis.on('ready', this.beat);
    this.#timer = setInterval(this.beat, beatMs).unref();
  }

  /** The most gateways seen alive of late while Redis answered, this one included. */
  get alive(): number {
    return this.#alive;
  }

  /** Tells the others of this gateway, and counts them; done by itself every two seconds. */
  readonly beat = async (): Promise<void> => {
    if (this.#redis.status !== 'ready') return;
    const now = this.#now();
    const answers = await this.#redis
      .multi()
      .zadd('gateways', now, this.#id)
      .zremrangebyscore('gateways', 0, now - aliveMs)
      .zcard('gateways')
      .exec()
      .catch(() => null);
    const alive = answers?.[2]?.[1];
    if (typeof alive !== 'number' || (alive < this.#alive && now - this.#seenAt < doubtMs)) return;
    this.#alive = Math.max(1, alive);
    this.#seenAt = now;
  };

  async leave(): Promise<void> {
    clearInterval(this.#timer);
    this.#redis.off('ready', this.beat);
    if (this.#redis.status === 'ready') await this.#redis.zrem('gateways', this.#id).catch(() => undefined);
  }
}
