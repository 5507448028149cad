import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

const beatMs = 2000;
const aliveMs = 7000;

/** Counts the gateways that share a Redis, so that each knows its share of the limit should Redis go away. */
export class Replicas {
  readonly #id = randomUUID();
  readonly #redis: Redis;
  readonly #timer: NodeJS.Timeout;
  #alive = 1;

  constructor(redis: Redis) {
    this.#redis = redis;
    this.#redis.on('ready', this.#beat);
    this.#timer = setInterval(this.#beat, beatMs).unref();
  }

  /** Gateways seen alive when Redis last answered, this one included. */
  get alive(): number {
    return this.#alive;
  }

  readonly #beat = async (): Promise<void> => {
    if (this.#redis.status !== 'ready') return;
    const now = Date.now();
    const answers = await this.#redis
      .multi()
      .zadd('gateways', now, this.#id)
      .zremrangebyscore('gateways', 0, now - aliveMs)
      .zcard('gateways')
      .exec()
      .catch(() => null);
    const alive = answers?.[2]?.[1];
    if (typeof alive === 'number') this.#alive = Math.max(1, alive);
  };

  async leave(): Promise<void> {
    clearInterval(this.#timer);
    this.#redis.off('ready', this.#beat);
    if (this.#redis.status === 'ready') await this.#redis.zrem('gateways', this.#id).catch(() => undefined);
  }
}
