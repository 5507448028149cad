import { type Bus, KeptStream } from '@webkiln/events/streams';
import { DiscardPolicy, nanos } from 'nats';

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
export class ViewsStream extends KeptStream {
  readonly partitions: number;
  readonly #bus: Bus;

  constructor(bus: Bus, { name = 'VIEWS', partitions, maxBytes }: Options) {
    const limits = { discard: DiscardPolicy.New, max_bytes: maxBytes, duplicate_window: nanos(duplicateWindowMs) };
    super(name, [`${bus.settings.prefix}views.*`], limits);
    this.partitions = partitions;
    this.#bus = bus;
  }

  subjectOf(partition: number): string {
    return `${this.#bus.settings.prefix}views.${partition}`;
  }

  /** Drops a partition's messages below a sequence of the stream; none while NATS is away. */
  async purge(partition: number, sequence: number): Promise<void> {
    const manager = await this.#bus.connection?.jetstreamManager({ checkAPI: false });
    await manager?.streams.purge(this.name, { filter: this.subjectOf(partition), seq: sequence });
  }
}
