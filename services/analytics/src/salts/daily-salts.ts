import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Bus } from '@webkiln/events/streams';
import { logger } from '@webkiln/runtime';
import { SaltBucket } from './salt-bucket.ts';

const dayMs = 24 * 3600_000;
const tendEveryMs = 60_000;
/** Tomorrow's is made so long before midnight, so that nobody waits for it then. */
const aheadMs = 3600_000;
/** Yesterday's is destroyed so long after midnight: clocks differ a little. */
const graceMs = 10 * 60_000;

interface Salt {
  /** Days since 1970 UTC. */
  readonly day: number;
  readonly key: KeyObject;
}

interface Options {
  readonly bus: Bus;
  /** The name of the bucket. */
  readonly bucket: string;
  readonly now?: () => number;
}

const nameOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);

/** What makes visitors of one day the same in all replicas, and unknown to everybody once the day is over. */
export class DailySalts {
  readonly #bus: Bus;
  readonly #bucket: SaltBucket;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #today: Salt | undefined;
  #tomorrow: Salt | undefined;
  #tending: Promise<void> | undefined;

  constructor({ bus, bucket, now = Date.now }: Options) {
    this.#bus = bus;
    this.#bucket = new SaltBucket(bucket);
    this.#now = now;
    this.#timer = setInterval(this.tend, tendEveryMs);
    bus.on('up', this.tend);
    bus.beforeStop(() => this.#stop());
    void this.tend();
  }

  /** The salt of the moment (milliseconds since 1970); undefined while it is not known yet. */
  at(now: number): KeyObject | undefined {
    const key = this.#keyOf(Math.floor(now / dayMs));
    if (key === undefined) void this.tend();
    return key;
  }

  /** Makes and destroys what is due, and sees that the others still have the salt that this process uses. Never rejects. */
  readonly tend = (): Promise<void> => {
    this.#tending ??= this.#tend()
      .catch((error: unknown) => logger.warn({ err: error }, 'the salt of the day cannot be had'))
      .finally(() => {
        this.#tending = undefined;
      });
    return this.#tending;
  };

  async #tend(): Promise<void> {
    const { connection } = this.#bus;
    if (connection === undefined) return;
    const now = this.#now();
    const day = Math.floor(now / dayMs);
    const own = this.#keyOf(day)?.export();
    const shared = createSecretKey(await this.#bucket.obtain(connection, nameOf(day), own));
    if (this.#keyOf(day) !== undefined || this.#today === undefined) this.#today = { day, key: shared };
    if (now % dayMs >= dayMs - aheadMs) {
      const ahead = this.#tomorrow?.key.export();
      this.#tomorrow = { day: day + 1, key: createSecretKey(await this.#bucket.obtain(connection, nameOf(day + 1), ahead)) };
    }
    if (now % dayMs >= graceMs) await this.#bucket.destroy(connection, nameOf(day - 1));
  }

  /** Yesterday's is forgotten with the first question for today's. */
  #keyOf(day: number): KeyObject | undefined {
    if (this.#today?.day === day) return this.#today.key;
    this.#today = this.#tomorrow?.day === day ? this.#tomorrow : undefined;
    this.#tomorrow = undefined;
    return this.#today?.key;
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#bus.off('up', this.tend);
    await this.#tending;
  }
}
