import { type Bus, KeptStream } from '@webkiln/events/streams';
import { DiscardPolicy, nanos } from 'nats';

const duplicateWindowMs = 2 * 60_000;

interface Options {
  /** The stream's name; default VIEWS, after the platform's prefix. */
  readonly name?: string;
  /** What the stream may take on disk; when it is full no view is accepted until workers and time have made room. */
  readonly maxBytes: number;
}

/** The JetStream stream of accepted views: ingest writes it, workers count it. */
export class ViewsStream extends KeptStream {
  readonly subject: string;
  readonly #bus: Bus;

  constructor(bus: Bus, { name = `${bus.settings.prefix}VIEWS`, maxBytes }: Options) {
    const subject = `${bus.settings.prefix}views`;
    super(name, [subject], { discard: DiscardPolicy.New, max_bytes: maxBytes, duplicate_window: nanos(duplicateWindowMs) });
    this.subject = subject;
    this.#bus = bus;
  }

  /** Drops the messages below a sequence; none while NATS is away. */
  async purge(sequence: number): Promise<void> {
    const manager = await this.#bus.connection?.jetstreamManager({ checkAPI: false });
    await manager?.streams.purge(this.name, { seq: sequence });
  }
}
