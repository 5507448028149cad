import { DiscardPolicy, type NatsConnection, NatsError, nanos, RetentionPolicy, StorageType, type StreamConfig } from 'nats';

export interface StreamSettings {
  readonly stream: string;
  readonly prefix: string;
  readonly maxBytes: number;
}

const dayMs = 24 * 3600_000;
const requestTimeoutMs = 2_000;
const otherConfiguration = 10_058;

/** A JetStream stream on disk that keeps messages for seven days. Each user creates it or updates its configuration. */
export class PersistentStream {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly #config: Partial<StreamConfig>;
  #ensured: Promise<void> | undefined;

  /** `config`: the stream's maximum size, and what happens when it is full. */
  constructor(name: string, subjects: readonly string[], config: Partial<StreamConfig>) {
    this.name = name;
    this.subjects = subjects;
    this.#config = { storage: StorageType.File, retention: RetentionPolicy.Limits, max_age: nanos(7 * dayMs), ...config };
  }

  /** Creates the stream unless it is known to exist. `forget` ends that: NATS may restart with an empty disk. */
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

  /** The first process creates it, the others find it. */
  async #createOrUpdate(connection: NatsConnection): Promise<void> {
    const { streams } = await connection.jetstreamManager({ timeout: requestTimeoutMs });
    const config = { ...this.#config, subjects: [...this.subjects] };
    try {
      await streams.add({ name: this.name, ...config });
    } catch (error) {
      if (!(error instanceof NatsError) || error.api_error?.err_code !== otherConfiguration) throw error;
      await streams.update(this.name, config);
    }
  }
}

/** The stream of all events: while it is full, events wait in their outboxes. */
export const eventsStream = ({ stream, prefix, maxBytes }: StreamSettings): PersistentStream =>
  new PersistentStream(stream, [`${prefix}events.>`, `${prefix}internal.>`], {
    discard: DiscardPolicy.New,
    max_bytes: maxBytes,
    duplicate_window: nanos(10 * 60_000),
  });
