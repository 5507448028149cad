import { randomBytes } from 'node:crypto';
import { PersistentStream } from '@webkiln/events/streams';
import { DiscardPolicy, type KV, type NatsConnection, NatsError, nanos } from 'nats';

const saltBytes = 32;
const timeoutMs = 2000;
/** A second safeguard beside `destroy`: from an hour before the salt's day to an hour after it. */
const ttlMs = 26 * 3600_000;
const wrongLastSequence = 10_071;

/** The daily salts shared by all replicas, in a JetStream key-value bucket. */
export class SaltBucket {
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
