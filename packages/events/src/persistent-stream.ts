import { DiscardPolicy, type NatsConnection, NatsError, nanos, RetentionPolicy, StorageType, type StreamConfig } from 'nats';

export interface StreamSettings {
  readonly stream: string;
  readonly prefix: string;
  readonly maxBytes: number;
}

const dayMs = 24 * 3600_000;
const answerWithinMs = 2_000;
const otherConfiguration = 10_058;

/** A stream on the disk of JetStream for seven days, which whoever uses it brings to this configuration. */
export class KeptStream {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly #config: Partial<StreamConfig>;
  #ensured: Promise<void> | undefined;

  /** `config` says what the stream may take, and what happens when it is full. */
  constructor(name: string, subjects: readonly string[], config: Partial<StreamConfig>) {
    this.name = name;
    this.subjects = subjects;
    this.#config = { storage: StorageType.File, retention: RetentionPolicy.Limits, max_age: nanos(7 * dayMs), ...config };
  }

  /** Sees to it that the stream is there, until somebody who misses it calls `forget`: NATS may come back with an empty disk. */
  ensure(connection: NatsConnection): Promise<void> {
    this.#ensured ??= this.#createOrUpdate(connection).catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.#ensured;
  }

  forget(): void {
    this.#ensured = undefined;
  }

  /** Who comes first creates it, the others find it. */
  async #createOrUpdate(connection: NatsConnection): Promise<void> {
    const { streams } = await connection.jetstreamManager({ timeout: answerWithinMs });
    const config = { ...this.#config, subjects: [...this.subjects] };
    try {
      await streams.add({ name: this.name, ...config });
    } catch (error) {
      if (!(error instanceof NatsError) || error.api_error?.err_code !== otherConfiguration) throw error;
      await streams.update(this.name, config);
    }
  }
}

/** The stream of all events: when it is full, they wait in their outboxes. */
export const eventsStream = ({ stream, prefix, maxBytes }: StreamSettings): KeptStream =>
  new KeptStream(stream, [`${prefix}events.>`, `${prefix}internal.>`], {
    discard: DiscardPolicy.New,
    max_bytes: maxBytes,
    duplicate_window: nanos(10 * 60_000),
  });
