import { randomBytes } from 'node:crypto';
import { type KV, type NatsConnection, NatsError, StorageType } from 'nats';

const saltBytes = 32;
const answerWithinMs = 2000;
/** A belt beside the destruction: from an hour before its day until an hour after it. */
const livesForMs = 26 * 3600_000;
const wrongLastSequence = 10_071;

/** The salts of days as all replicas share them: a JetStream key-value bucket. */
export class SaltBucket {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  /** The salt of a day ("2026-11-21"): what is there, else `own`, else a new one. Of all who put one at once the first decides for all. */
  async obtain(connection: NatsConnection, day: string, own?: Uint8Array): Promise<Uint8Array> {
    const bucket = await this.#open(connection);
    const there = await bucket.get(day);
    if (there !== null) return there.value;
    const mine = own ?? randomBytes(saltBytes);
    try {
      await bucket.create(day, mine);
      return mine;
    } catch (error) {
      if (!(error instanceof NatsError) || error.api_error?.err_code !== wrongLastSequence) throw error;
    }
    const decided = await bucket.get(day);
    if (decided === null) throw new Error('the salt of the day was destroyed as it was made');
    return decided.value;
  }

  /** Destroys the salt of a day: its bytes are overwritten on the server's disk. */
  async destroy(connection: NatsConnection, day: string): Promise<void> {
    const bucket = await this.#open(connection);
    const there = await bucket.get(day);
    if (there === null) return;
    const { streams } = await connection.jetstreamManager({ checkAPI: false, timeout: answerWithinMs });
    await streams.deleteMessage(`KV_${this.#name}`, there.revision, true);
  }

  /** Made by whoever comes first. Asked of the one replica of the server that decides, so that nobody misses what was just put. */
  #open(connection: NatsConnection): Promise<KV> {
    const jetstream = connection.jetstream({ timeout: answerWithinMs });
    return jetstream.views.kv(this.#name, { ttl: livesForMs, storage: StorageType.File, allow_direct: false, timeout: answerWithinMs });
  }
}
