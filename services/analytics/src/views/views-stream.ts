import { type Bus, PersistentStream } from '@webkiln/events/streams';
import { DiscardPolicy, nanos } from 'nats';

const duplicateWindowMs = 2 * 60_000;

interface Options {
  /** The stream's name; default: the platform's prefix and VIEWS. */
  readonly name?: string;
  /** Maximum size on disk. A full stream accepts no views until workers or time make room. */
  readonly maxBytes: number;
}

/** The JetStream stream of accepted views: written by ingest, counted by the workers. */
export class ViewsStream extends PersistentStream {
  readonly subject: string;
  readonly #bus: Bus;

  constructor(bus: Bus, { name = `${bus.settings.prefix}VIEWS`, maxBytes }: Options) {
    const subject = `${bus.settings.prefix}views`;
    super(name, [subject], { discard: DiscardPolicy.New, max_bytes: maxBytes, duplicate_window: nanos(duplicateWindowMs) });
    this.subject = subject;
    this.#bus = bus;
  }

  /** Purges the messages below a sequence; does nothing while NATS is disconnected. */
  async purge(sequence: number): Promise<void> {
    const manager = await this.#bus.connection?.jetstreamManager({ checkAPI: false });
    await manager?.streams.purge(this.name, { seq: sequence });
  }
}
