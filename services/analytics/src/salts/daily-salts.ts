import { createSecretKey } from 'node:crypto';
import type { Bus } from '@webkiln/events/streams';
import { logger } from '@webkiln/runtime';
import { DailyVisitors } from './daily-visitors.ts';
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
  readonly bytes: Uint8Array;
  readonly visitors: DailyVisitors;
}

interface Options {
  readonly bus: Bus;
  /** The name of the bucket. */
  readonly bucket: string;
  readonly now?: () => number;
}

const saltOf = (day: number, bytes: Uint8Array): Salt => ({ day, bytes, visitors: new DailyVisitors(createSecretKey(bytes)) });
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

  /** Visitors by the salt of the moment (milliseconds since 1970); undefined while it is not known yet. */
  visitorsAt(now: number): DailyVisitors | undefined {
    const salt = this.#saltOf(Math.floor(now / dayMs));
    if (salt === undefined) void this.tend();
    return salt?.visitors;
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
    const now = this.#now();
    const day = Math.floor(now / dayMs);
    const own = this.#saltOf(day);
    const { connection } = this.#bus;
    if (connection === undefined) return;
    const shared = await this.#bucket.obtain(connection, nameOf(day), own?.bytes);
    if (own === undefined || Buffer.compare(own.bytes, shared) !== 0) this.#today = saltOf(day, shared);
    if (now % dayMs >= dayMs - aheadMs) {
      this.#tomorrow = saltOf(day + 1, await this.#bucket.obtain(connection, nameOf(day + 1), this.#tomorrow?.bytes));
    }
    if (now % dayMs >= graceMs) await this.#bucket.destroy(connection, nameOf(day - 1));
  }

  /** Yesterday's, and whom it was used for, is forgotten with the first question for today's: within a minute of midnight. */
  #saltOf(day: number): Salt | undefined {
    if (this.#today?.day === day) return this.#today;
    this.#today = this.#tomorrow?.day === day ? this.#tomorrow : undefined;
    this.#tomorrow = undefined;
    return this.#today;
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#bus.off('up', this.tend);
    await this.#tending;
  }
}
