import { createSecretKey } from 'node:crypto';
import type { Bus } from '@webkiln/events/streams';
import { logger } from '@webkiln/runtime';
import { dayMs, toUtcDay } from '../views/utc-day.ts';
import { SaltBucket } from './salt-bucket.ts';
import { VisitorIdentifier } from './visitor-identifier.ts';

const refreshIntervalMs = 60_000;
/** Tomorrow's salt is created this long before midnight, so that no request waits for it then. */
const createAheadMs = 3600_000;
/** Yesterday's salt is destroyed this long after midnight, because clocks differ a little. */
const graceMs = 10 * 60_000;

interface Salt {
  /** Days since 1970 UTC. */
  readonly day: number;
  readonly bytes: Uint8Array;
  readonly identifier: VisitorIdentifier;
}

interface Options {
  readonly bus: Bus;
  /** The name of the key-value bucket. */
  readonly bucket: string;
  readonly now?: () => number;
}

const createSalt = (day: number, bytes: Uint8Array): Salt => ({ day, bytes, identifier: new VisitorIdentifier(createSecretKey(bytes)) });
const toKey = (day: number) => toUtcDay(day * dayMs);

/** The salt of each UTC day. It makes visitors recognizable on that day, and unidentifiable afterwards. */
export class DailySalts {
  readonly #bus: Bus;
  readonly #bucket: SaltBucket;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #today: Salt | undefined;
  #tomorrow: Salt | undefined;
  #refreshing: Promise<void> | undefined;

  constructor({ bus, bucket, now = Date.now }: Options) {
    this.#bus = bus;
    this.#bucket = new SaltBucket(bucket, bus.settings.replicas);
    this.#now = now;
    this.#timer = setInterval(this.refresh, refreshIntervalMs);
    bus.on('up', this.refresh);
    bus.beforeStop(() => this.#stop());
    void this.refresh();
  }

  /** Returns the identifier for a time (milliseconds since 1970), undefined while its salt is unknown. */
  getIdentifier(now: number): VisitorIdentifier | undefined {
    const salt = this.#findSalt(Math.floor(now / dayMs));
    if (salt === undefined) void this.refresh();
    return salt?.identifier;
  }

  /** Creates and destroys salts that are due, and restores a lost salt in the bucket. Never rejects. */
  readonly refresh = (): Promise<void> => {
    this.#refreshing ??= this.#refresh()
      .catch((error: unknown) => logger.warn({ err: error }, 'daily salt could not be refreshed; retrying within a minute'))
      .finally(() => {
        this.#refreshing = undefined;
      });
    return this.#refreshing;
  };

  async #refresh(): Promise<void> {
    const now = this.#now();
    const day = Math.floor(now / dayMs);
    const current = this.#findSalt(day);
    const { connection } = this.#bus;
    if (connection === undefined) return;
    const shared = await this.#bucket.getOrCreate(connection, toKey(day), current?.bytes);
    if (current === undefined || Buffer.compare(current.bytes, shared) !== 0) this.#today = createSalt(day, shared);
    if (now % dayMs >= dayMs - createAheadMs) {
      this.#tomorrow = createSalt(day + 1, await this.#bucket.getOrCreate(connection, toKey(day + 1), this.#tomorrow?.bytes));
    }
    if (now % dayMs >= graceMs) await this.#bucket.destroy(connection, toKey(day - 1));
  }

  /** Drops yesterday's salt and its cached visitors within a minute of midnight. */
  #findSalt(day: number): Salt | undefined {
    if (this.#today?.day === day) return this.#today;
    this.#today = this.#tomorrow?.day === day ? this.#tomorrow : undefined;
    this.#tomorrow = undefined;
    return this.#today;
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#bus.off('up', this.refresh);
    await this.#refreshing;
  }
}
