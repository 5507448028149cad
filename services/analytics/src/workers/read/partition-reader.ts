import { setTimeout as pause } from 'node:timers/promises';
import type { Bus } from '@webkiln/events/streams';
import type { Consumer, JsMsg, NatsConnection } from 'nats';
import type { ViewsStream } from '../views/views-stream.ts';
import { consumerOf } from './partition-consumer.ts';
import { type ReadMessage, readMessage, viewsIn } from './read-message.ts';
import { eraOf } from './stream-era-store.ts';

const idleMs = 5_000;
const fetchedMost = 256;
/** Of a partition that few views are for, or none. */
const messagesMost = 4_096;
const firstGuess = 32;

interface Batch {
  /** Resolves at the latest after `gatherMs` with what came, or after 5 s with nothing. */
  readonly gatherMs: number;
  /** About how many views; there may be more, by what one message holds. */
  readonly viewsMost: number;
}

interface Part {
  /** Whether a site is in the partition. */
  readonly isOwn: (site: string) => boolean;
  /** Where to begin: at the first message that the stream took then or later, in milliseconds since 1970. */
  readonly from: number;
  readonly signal: AbortSignal;
}

/** Reads the stream in its order, from a time on, for the views of one partition, without leaving a trace on the server. */
export class PartitionReader {
  readonly #bus: Bus;
  readonly #connection: NatsConnection;
  readonly #consumer: Consumer;
  readonly #era: number;
  readonly #part: Part;
  #delivered = 0;
  #viewsPerMessage = firstGuess;
  /** How many messages wait on the stream behind what was read, as far as is known. */
  waiting = 0;

  private constructor(bus: Bus, connection: NatsConnection, consumer: Consumer, era: number, part: Part) {
    this.#bus = bus;
    this.#connection = connection;
    this.#consumer = consumer;
    this.#era = era;
    this.#part = part;
  }

  static async open(bus: Bus, connection: NatsConnection, stream: ViewsStream, part: Part): Promise<PartitionReader> {
    const { consumer, created } = await consumerOf(connection, stream, part.from);
    return new PartitionReader(bus, connection, consumer, await eraOf(stream.name, created), part);
  }

  /**
   * The next messages; none where none came within 5 s or the reader is at its end. Throws when the connection or the consumer is lost, or a
   * message is missing between two that came.
   */
  async next({ gatherMs, viewsMost }: Batch): Promise<ReadMessage[]> {
    const first = await this.#fetch(1);
    const [message] = first;
    if (message === undefined) {
      if (!this.#part.signal.aborted) this.waiting = (await this.#consumer.info()).num_pending;
      return [];
    }
    this.waiting = message.info.pending;
    const messages = first.map((each) => readMessage(each, this.#era, this.#part.isOwn));
    let missing = viewsMost - viewsIn(messages);
    if (this.waiting < this.#messagesFor(missing)) {
      await pause(gatherMs, undefined, { signal: this.#part.signal }).catch(() => undefined);
      if (!this.#part.signal.aborted) this.waiting = (await this.#consumer.info()).num_pending;
    }
    while (missing > 0 && this.waiting > 0 && messages.length < messagesMost) {
      const wanted = Math.min(this.#messagesFor(missing), this.waiting);
      const more = (await this.#fetch(wanted)).map((each) => readMessage(each, this.#era, this.#part.isOwn));
      if (more.length === 0) break;
      messages.push(...more);
      missing -= viewsIn(more);
      this.waiting = Math.max(0, this.waiting - wanted);
      this.#viewsPerMessage = Math.max(1, viewsIn(messages) / messages.length);
    }
    return messages;
  }

  /** How many messages so many views of this partition are in, as far as one fetch takes them. */
  #messagesFor(views: number): number {
    return Math.min(Math.max(Math.ceil(views / this.#viewsPerMessage), 1), fetchedMost);
  }

  async close(): Promise<void> {
    await this.#consumer.delete().catch(() => undefined);
  }

  async #fetch(count: number): Promise<JsMsg[]> {
    const over = () => this.#part.signal.aborted || this.#bus.connection !== this.#connection;
    if (over()) return this.#ended();
    const messages = await this.#consumer.fetch({ max_messages: count, expires: idleMs });
    const stop = () => messages.stop();
    const unsubscribe = this.#bus.onEnd(stop);
    this.#part.signal.addEventListener('abort', stop);
    const came: JsMsg[] = [];
    try {
      if (over()) stop();
      for await (const message of messages) {
        this.#delivered++;
        if (message.info.deliverySequence !== this.#delivered) throw new Error('a message went missing on the way');
        came.push(message);
      }
    } finally {
      unsubscribe();
      this.#part.signal.removeEventListener('abort', stop);
    }
    return over() ? this.#ended() : came;
  }

  #ended(): JsMsg[] {
    if (!this.#part.signal.aborted) throw new Error('the connection to NATS is lost');
    return [];
  }
}
