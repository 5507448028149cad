import { type Bus, hasLostMessage } from '@webkiln/events/streams';
import { pause, type Run } from '@webkiln/runtime';
import { AckPolicy, type Consumer, DeliverPolicy, type JsMsg, type NatsConnection, nanos } from 'nats';
import { decodeReadable, type View } from '../views/view.ts';
import type { ViewsStream } from '../views/views-stream.ts';
import { getStreamEpoch, toPosition } from './stream-epoch-store.ts';

const maxIdleMs = 10_000;
const maxFetch = 256;
/** Limits a batch of a partition that has few views. */
const maxMessages = 4_096;
const initialViewsPerMessage = 32;

interface Batch {
  /** How long to wait for a larger batch. Without any message `next` returns after 10 s. */
  readonly batchWaitMs: number;
  /** The approximate size of a batch. The last message may exceed it. */
  readonly maxViews: number;
}

interface Source {
  /** True if the site is in the partition. */
  readonly isOwnSite: (site: string) => boolean;
  /** Starts at the first message stored at this time or later, in milliseconds since 1970. */
  readonly from: number;
  readonly run: Run;
}

/** Reads the views of one partition in stream order, from a time on. Leaves no state on the server. */
export class PartitionReader {
  readonly #bus: Bus;
  readonly #connection: NatsConnection;
  readonly #consumer: Consumer;
  readonly #epoch: number;
  readonly #source: Source;
  #delivered = 0;
  #viewsPerMessage = initialViewsPerMessage;
  /** Messages on the stream after the last one read, as far as known. */
  waiting = 0;

  private constructor(bus: Bus, connection: NatsConnection, consumer: Consumer, epoch: number, source: Source) {
    this.#bus = bus;
    this.#connection = connection;
    this.#consumer = consumer;
    this.#epoch = epoch;
    this.#source = source;
  }

  static async open(bus: Bus, connection: NatsConnection, stream: ViewsStream, source: Source): Promise<PartitionReader> {
    const { consumer, created } = await createConsumer(connection, stream, source.from);
    return new PartitionReader(bus, connection, consumer, await getStreamEpoch(stream.name, created), source);
  }

  /**
   * Returns the next messages; none if none arrived within 5 s or the signal aborted. Throws if the connection or the
   * consumer is lost, or a message is missing.
   */
  async next({ batchWaitMs, maxViews }: Batch): Promise<ReadMessage[]> {
    const first = await this.#fetch(1);
    const [message] = first;
    if (message === undefined) {
      if (this.#source.run.signal.aborted) return [];
      if (await hasLostMessage(this.#consumer, this.#delivered)) throw new Error('the consumer lost a message');
      this.waiting = (await this.#consumer.info(true)).num_pending;
      return [];
    }
    this.waiting = message.info.pending;
    const messages = first.map((each) => readMessage(each, this.#epoch, this.#source.isOwnSite));
    let missing = maxViews - countViews(messages);
    if (this.waiting < this.#estimateMessages(missing)) {
      await pause(batchWaitMs, this.#source.run.signal);
      if (!this.#source.run.signal.aborted) this.waiting = (await this.#consumer.info()).num_pending;
    }
    while (missing > 0 && this.waiting > 0 && messages.length < maxMessages) {
      const wanted = Math.min(this.#estimateMessages(missing), this.waiting);
      const more = (await this.#fetch(wanted)).map((each) => readMessage(each, this.#epoch, this.#source.isOwnSite));
      if (more.length === 0) break;
      messages.push(...more);
      missing -= countViews(more);
      this.waiting = Math.max(0, this.waiting - wanted);
      this.#viewsPerMessage = Math.max(1, countViews(messages) / messages.length);
    }
    return messages;
  }

  /** Estimates in how many messages this many views of the partition are, at most one fetch. */
  #estimateMessages(views: number): number {
    return Math.min(Math.max(Math.ceil(views / this.#viewsPerMessage), 1), maxFetch);
  }

  async close(): Promise<void> {
    await this.#consumer.delete().catch(() => undefined);
  }

  async #fetch(count: number): Promise<JsMsg[]> {
    const isOver = () => this.#source.run.signal.aborted || this.#bus.connection !== this.#connection;
    if (isOver()) return this.#end();
    const messages = await this.#consumer.fetch({ max_messages: count, expires: maxIdleMs });
    const stop = () => messages.stop();
    const unsubscribe = this.#bus.onEnd(stop);
    this.#source.run.signal.addEventListener('abort', stop);
    const received: JsMsg[] = [];
    try {
      if (isOver()) stop();
      for await (const message of messages) {
        this.#delivered++;
        if (message.info.deliverySequence !== this.#delivered) throw new Error('the consumer skipped a message');
        received.push(message);
      }
    } finally {
      unsubscribe();
      this.#source.run.signal.removeEventListener('abort', stop);
    }
    this.#source.run.progress();
    return isOver() ? this.#end() : received;
  }

  #end(): JsMsg[] {
    if (!this.#source.run.signal.aborted) throw new Error('the connection to NATS is lost');
    return [];
  }
}

const timeoutMs = 2_000;
/** The server deletes a consumer that is unused for this long. */
const inactiveMs = 60_000;

/**
 * Creates a consumer without acks that starts at the first message stored at `from` (milliseconds since 1970) or
 * later. Also returns when the stream was created.
 */
async function createConsumer(
  connection: NatsConnection,
  stream: ViewsStream,
  from: number,
): Promise<{ consumer: Consumer; created: string }> {
  stream.forget();
  await stream.ensure(connection);
  const { streams, consumers } = await connection.jetstreamManager({ checkAPI: false, timeout: timeoutMs });
  const { created } = await streams.info(stream.name);
  const start =
    from > 0
      ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(from).toISOString() }
      : { deliver_policy: DeliverPolicy.All };
  const { name } = await consumers.add(stream.name, {
    ...start,
    ack_policy: AckPolicy.None,
    filter_subject: stream.subject,
    inactive_threshold: nanos(inactiveMs),
    mem_storage: true,
  });
  if ((await streams.info(stream.name)).created !== created) throw new Error('the stream was recreated meanwhile');
  return { consumer: await connection.jetstream().consumers.get(stream.name, name), created };
}

/** The views of one partition in a message of the stream; may be empty. */
export interface ReadMessage {
  readonly views: readonly View[];
  /** Views that could not be decoded, each as a message of its own. */
  readonly unreadable: readonly string[];
  readonly position: number;
  readonly sequence: number;
  /** When the stream stored the message, in milliseconds since 1970. */
  readonly at: number;
}

/** Decodes the views of the partition's own sites from a message. */
function readMessage(message: JsMsg, epoch: number, isOwnSite: (site: string) => boolean): ReadMessage {
  const { seq: sequence, info } = message;
  const at = Math.floor(info.timestampNanos / 1e6);
  return { ...decodeReadable(message.string(), isOwnSite), position: toPosition(epoch, sequence), sequence, at };
}

const countViews = (messages: readonly ReadMessage[]): number => messages.reduce((sum, { views }) => sum + views.length, 0);
