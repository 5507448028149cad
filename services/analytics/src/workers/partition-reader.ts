import { setTimeout as pause } from 'node:timers/promises';
import type { Bus } from '@webkiln/events/streams';
import type { Consumer, JsMsg, NatsConnection } from 'nats';
import { decodeMessage, type View } from '../views/view.ts';
import type { ViewsStream } from '../views/views-stream.ts';
import { consumerOf } from './partition-consumer.ts';
import { eraOf, positionOf } from './stream-era-store.ts';

const idleMs = 5_000;
const messagesMost = 256;
const firstGuess = 32;

/** The views that one message of the stream holds. */
export interface ReadMessage {
  readonly views: readonly View[];
  readonly position: number;
  readonly sequence: number;
  /** When the stream took it, in milliseconds since 1970. */
  readonly at: number;
}

interface Batch {
  /** Resolves at the latest after `gatherMs` with what came, or after 5 s with nothing. */
  readonly gatherMs: number;
  /** About how many views; there may be more, by what one message holds. */
  readonly viewsMost: number;
}

/** Reads one partition of the stream in its order, from a time on, without leaving a trace on the server. */
export class PartitionReader {
  readonly #bus: Bus;
  readonly #connection: NatsConnection;
  readonly #consumer: Consumer;
  readonly #era: number;
  readonly #signal: AbortSignal;
  #delivered = 0;
  #viewsPerMessage = firstGuess;
  /** How many messages wait on the stream behind what was read, as far as is known. */
  waiting = 0;

  private constructor(bus: Bus, connection: NatsConnection, consumer: Consumer, era: number, signal: AbortSignal) {
    this.#bus = bus;
    this.#connection = connection;
    this.#consumer = consumer;
    this.#era = era;
    this.#signal = signal;
  }

  /** Begins at the first message that the stream took at `from` (milliseconds since 1970) or later. */
  static async open(bus: Bus, connection: NatsConnection, stream: ViewsStream, partition: number, from: number, signal: AbortSignal) {
    const { consumer, created } = await consumerOf(connection, stream, partition, from);
    return new PartitionReader(bus, connection, consumer, await eraOf(stream.name, created), signal);
  }

  /**
   * The next messages; none where none came within 5 s or the reader is at its end. Throws when the connection or the consumer is lost, or a
   * message is missing between two that came.
   */
  async next({ gatherMs, viewsMost }: Batch): Promise<ReadMessage[]> {
    const first = await this.#fetch(1);
    const [message] = first;
    if (message === undefined) {
      if (!this.#signal.aborted) this.waiting = (await this.#consumer.info()).num_pending;
      return [];
    }
    const wanted = Math.min(Math.max(Math.ceil(viewsMost / this.#viewsPerMessage), 1), messagesMost);
    this.waiting = message.info.pending;
    if (this.waiting < wanted) {
      await pause(gatherMs, undefined, { signal: this.#signal }).catch(() => undefined);
      if (!this.#signal.aborted) this.waiting = (await this.#consumer.info()).num_pending;
    }
    const rest = Math.min(wanted - 1, this.waiting);
    const messages = [...first, ...(rest > 0 ? await this.#fetch(rest) : [])].map((each) => this.#read(each));
    this.waiting = Math.max(0, this.waiting - rest);
    const views = messages.reduce((sum, each) => sum + each.views.length, 0);
    this.#viewsPerMessage = Math.max(1, views / messages.length);
    return messages;
  }

  async close(): Promise<void> {
    await this.#consumer.delete().catch(() => undefined);
  }

  async #fetch(count: number): Promise<JsMsg[]> {
    const over = () => this.#signal.aborted || this.#bus.connection !== this.#connection;
    if (over()) return this.#ended();
    const messages = await this.#consumer.fetch({ max_messages: count, expires: idleMs });
    const stop = () => messages.stop();
    const unsubscribe = this.#bus.onEnd(stop);
    this.#signal.addEventListener('abort', stop);
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
      this.#signal.removeEventListener('abort', stop);
    }
    return over() ? this.#ended() : came;
  }

  #ended(): JsMsg[] {
    if (!this.#signal.aborted) throw new Error('the connection to NATS is lost');
    return [];
  }

  #read(message: JsMsg): ReadMessage {
    const { seq: sequence, info } = message;
    const at = Math.floor(info.timestampNanos / 1e6);
    return { views: decodeMessage(message.string()), position: positionOf(this.#era, sequence), sequence, at };
  }
}
