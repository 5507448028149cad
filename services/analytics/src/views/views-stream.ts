import { hash } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { type Bus, PersistentStream } from '@webkiln/events/streams';
import { DiscardPolicy, nanos } from 'nats';
import { decodeMessage } from './view.ts';

/** Names the workers where dead letters are listed. */
export const viewsConsumer = 'analytics-views';

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
    super(name, [subject], {
      discard: DiscardPolicy.New,
      max_bytes: maxBytes,
      duplicate_window: nanos(duplicateWindowMs),
      num_replicas: bus.settings.replicas,
    });
    this.subject = subject;
    this.#bus = bus;
  }

  /**
   * Puts a message that was unreadable on the stream again, so that its views are counted once. Throws if it still is
   * unreadable.
   */
  async replay(message: string): Promise<void> {
    decodeMessage(message);
    const { connection } = this.#bus;
    if (connection === undefined) throw new AppError('unavailable');
    await this.ensure(connection);
    await connection.jetstream().publish(this.subject, message, { msgID: `replay ${hash('sha256', message, 'hex')}` });
  }

  /** Purges the messages below a sequence; does nothing while NATS is disconnected. */
  async purge(sequence: number): Promise<void> {
    const manager = await this.#bus.connection?.jetstreamManager({ checkAPI: false });
    await manager?.streams.purge(this.name, { seq: sequence });
  }
}
