import { createSecretKey, randomBytes } from 'node:crypto';
import { type Bus, PersistentStream } from '@webkiln/events/streams';
import { logger } from '@webkiln/runtime';
import { DiscardPolicy, type KV, type NatsConnection, NatsError, nanos } from 'nats';
import { dayMs, toUtcDay } from '../views/view.ts';
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

const saltBytes = 32;
const timeoutMs = 2000;
/** A second safeguard beside `destroy`: from an hour before the salt's day to an hour after it. */
const ttlMs = 26 * 3600_000;
const wrongLastSequence = 10_071;

/** The daily salts shared by all replicas, in a JetStream key-value bucket. */
class SaltBucket {
  readonly #name: string;
  readonly #stream: PersistentStream;

  /** `replicas`: how many servers of a NATS cluster keep it. */
  constructor(name: string, replicas: number) {
    this.#name = name;
    this.#stream = new PersistentStream(`KV_${name}`, [`$KV.${name}.>`], {
      discard: DiscardPolicy.New,
      max_age: nanos(ttlMs),
      max_msgs_per_subject: 1,
      allow_rollup_hdrs: true,
      allow_direct: false,
      num_replicas: replicas,
    });
  }

  /**
   * Returns the salt of a day ("2026-11-21"). If there is none, stores `own` or a new one. If several replicas store
   * one at once, the first wins.
   */
  async getOrCreate(connection: NatsConnection, day: string, own?: Uint8Array): Promise<Uint8Array> {
    const bucket = await this.#open(connection);
    const existing = await bucket.get(day);
    if (existing !== null) return existing.value;
    const created = own ?? randomBytes(saltBytes);
    try {
      await bucket.create(day, created);
      return created;
    } catch (error) {
      if (!(error instanceof NatsError) || error.api_error?.err_code !== wrongLastSequence) throw error;
    }
    const decided = await bucket.get(day);
    if (decided === null) throw new Error('the salt of the day was destroyed during its creation');
    return decided.value;
  }

  /** Destroys the salt of a day. The server overwrites its bytes on disk. */
  async destroy(connection: NatsConnection, day: string): Promise<void> {
    const bucket = await this.#open(connection);
    const existing = await bucket.get(day);
    if (existing === null) return;
    const { streams } = await connection.jetstreamManager({ checkAPI: false, timeout: timeoutMs });
    await streams.deleteMessage(this.#stream.name, existing.revision, true);
  }

  /** Opens or creates the bucket. `allow_direct: false` reads from the leader, so it sees completed writes. */
  async #open(connection: NatsConnection): Promise<KV> {
    this.#stream.forget();
    await this.#stream.ensure(connection);
    const jetstream = connection.jetstream({ timeout: timeoutMs });
    return jetstream.views.kv(this.#name, { bindOnly: true, allow_direct: false, timeout: timeoutMs });
  }
}
