import { type EventStream, eventStreams } from '@webkiln/messages';
import {
  connect,
  type JetStreamManager,
  type MsgHdrs,
  headers as messageHeaders,
  type NatsConnection,
  NatsError,
  type StoredMsg,
} from 'nats';
import { serverOf } from '../connection.ts';
import { type EventStreams, openEventStreams, streamSettings } from '../event-streams.ts';
import { progressOf } from '../upkeep/purge.ts';

const timeoutMs = 5_000;
const publishedAtOnce = 100;
const notFound = new Set<number | undefined>([10_037, 10_059]);

/** The event streams of a platform, read into a backup and published again from it. */
export class StreamArchive {
  readonly #connection: NatsConnection;
  readonly #manager: JetStreamManager;
  readonly #streams: EventStreams;

  private constructor(connection: NatsConnection, manager: JetStreamManager, streams: EventStreams) {
    this.#connection = connection;
    this.#manager = manager;
    this.#streams = streams;
  }

  /** Rejects if NATS does not answer within 5 s. `subjectPrefix` is EVENTS_PREFIX. */
  static async open(url: string, subjectPrefix: string): Promise<StreamArchive> {
    const connection = await connect({
      ...serverOf(url),
      name: 'backup',
      inboxPrefix: '_INBOX.operator',
      timeout: timeoutMs,
      reconnect: false,
    });
    const manager = await connection.jetstreamManager({ timeout: timeoutMs });
    return new StreamArchive(connection, manager, openEventStreams(streamSettings({ subjectPrefix })));
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** The last message of each stream that every durable consumer has acknowledged, with all before it. */
  floors(): Promise<Record<EventStream, number>> {
    return this.#ofEach(async (stream) => {
      const last = await this.#lastOf(stream);
      const progress = last === 0 ? [] : await progressOf(this.#manager, this.#streams[stream].name, last);
      return progress.length === 0 ? 0 : Math.min(...progress.map(({ floor }) => floor));
    });
  }

  /** The last sequence of each stream; 0 for one without messages. */
  ends(): Promise<Record<EventStream, number>> {
    return this.#ofEach((stream) => this.#lastOf(stream));
  }

  /** Deletes the streams with their consumers. */
  async clear(): Promise<void> {
    await this.#ofEach(async (stream) => {
      await this.#manager.streams.delete(this.#streams[stream].name).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    });
  }

  /** The messages of a range that are still on the stream, oldest first. */
  async *messages(stream: EventStream, { after, through }: Range): AsyncGenerator<ArchivedMessage> {
    for (let seq = after + 1; seq <= through; ) {
      const message = await this.#messageFrom(stream, seq);
      if (message === undefined || message.seq > through) return;
      yield archived(message);
      seq = message.seq + 1;
    }
  }

  /** Publishes messages on a stream, which is made if it is missing, in order. Returns how many. */
  async publish(stream: EventStream, messages: AsyncIterable<ArchivedMessage>): Promise<number> {
    await this.#streams[stream].ensure(this.#connection);
    const client = this.#connection.jetstream({ timeout: timeoutMs });
    const waiting: Promise<unknown>[] = [];
    let count = 0;
    for await (const message of messages) {
      waiting.push(client.publish(message.subject, Buffer.from(message.data, 'base64'), { headers: headersOf(message) }));
      count += 1;
      if (waiting.length === publishedAtOnce) await Promise.all(waiting.splice(0));
    }
    await Promise.all(waiting);
    return count;
  }

  async #ofEach<T>(work: (stream: EventStream) => Promise<T>): Promise<Record<EventStream, T>> {
    const pairs = await Promise.all(eventStreams.map(async (stream) => [stream, await work(stream)] as const));
    return Object.fromEntries(pairs) as Record<EventStream, T>;
  }

  async #lastOf(stream: EventStream): Promise<number> {
    try {
      const { state } = await this.#manager.streams.info(this.#streams[stream].name);
      return state.messages === 0 ? 0 : state.last_seq;
    } catch (error) {
      if (isMissing(error)) return 0;
      throw error;
    }
  }

  /** The first message at or after a sequence. */
  async #messageFrom(stream: EventStream, seq: number) {
    try {
      // The server answers this query since 2.9; the client's types know it for direct reads alone.
      const query = { seq, next_by_subj: '>' };
      return await this.#manager.streams.getMessage(this.#streams[stream].name, query);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

const isMissing = (error: unknown) => error instanceof NatsError && notFound.has(error.api_error?.err_code);

/** A message of a stream, as a line of JSON holds it. */
export interface ArchivedMessage {
  readonly subject: string;
  readonly headers: readonly (readonly [name: string, values: readonly string[]])[];
  /** Base64. */
  readonly data: string;
}

/** Sequences of a stream: `after` is not part of the range, `through` is. */
interface Range {
  readonly after: number;
  readonly through: number;
}

const archived = ({ subject, header, data }: StoredMsg): ArchivedMessage => ({
  subject,
  headers: [...header].map(([name, values]) => [name, values]),
  data: Buffer.from(data).toString('base64'),
});

/** The headers with which the message is published again. */
function headersOf({ headers }: ArchivedMessage): MsgHdrs {
  const sent = messageHeaders();
  for (const [name, values] of headers) for (const value of values) sent.append(name, value);
  return sent;
}
