import { type Bus, createOrUpdateStream } from '@webkiln/events/streams';
import { DiscardPolicy, type NatsConnection, nanos, RetentionPolicy, StorageType } from 'nats';

const dayMs = 24 * 3600_000;
const duplicateWindowMs = 2 * 60_000;

interface Options {
  /** The stream's name; default VIEWS. */
  readonly name?: string;
  /** The same in every process of the platform: which partition counts a site follows from it. */
  readonly partitions: number;
  /** What the stream may take on disk; when it is full no view is accepted until workers and time have made room. */
  readonly maxBytes: number;
}

/** The JetStream stream of accepted views: ingest writes it, workers count it. */
export class ViewsStream {
  readonly name: string;
  readonly partitions: number;
  readonly #bus: Bus;
  readonly #maxBytes: number;
  #ensured: Promise<void> | undefined;

  constructor(bus: Bus, { name = 'VIEWS', partitions, maxBytes }: Options) {
    this.name = name;
    this.partitions = partitions;
    this.#bus = bus;
    this.#maxBytes = maxBytes;
  }

  subjectOf(partition: number): string {
    return `${this.#bus.settings.prefix}views.${partition}`;
  }

  /** Sees to it that the stream is there, until somebody who misses it calls `forget`: NATS may come back with an empty disk. */
  ensure(connection: NatsConnection): Promise<void> {
    this.#ensured ??= createOrUpdateStream(connection, this.name, {
      subjects: [`${this.#bus.settings.prefix}views.*`],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.New,
      max_age: nanos(7 * dayMs),
      max_bytes: this.#maxBytes,
      duplicate_window: nanos(duplicateWindowMs),
    }).catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.#ensured;
  }

  forget(): void {
    this.#ensured = undefined;
  }

  /** Drops a partition's messages below a sequence of the stream; none while NATS is away. */
  async purge(partition: number, sequence: number): Promise<void> {
    const manager = await this.#bus.connection?.jetstreamManager({ checkAPI: false });
    await manager?.streams.purge(this.name, { filter: this.subjectOf(partition), seq: sequence });
  }
}
