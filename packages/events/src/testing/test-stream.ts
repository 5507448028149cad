import { randomBytes, randomUUID } from 'node:crypto';
import { type EventType, streamOf, subjectOf } from '@webkiln/messages';
import { until } from '@webkiln/store/testing';
import { type ConnectionOptions, connect, type NatsConnection, type StoredMsg } from 'nats';
import { closeEvents, connectEvents } from '../connection.ts';
import { type EventsOptions, streamSettings } from '../event-streams.ts';

export type TestStream = EventsOptions & { stream: string; subjectPrefix: string };

/** Streams that no other test shares. */
export function ownStream(): TestStream {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const maxBytes = 16 * 1024 ** 2;
  return { stream: name, subjectPrefix: `${name}.`, maxBytes: { EVENTS: maxBytes, MAILS: maxBytes, AUDIT: maxBytes, FORMS: maxBytes } };
}

/** Gives each test a connection to streams of its own. The options are always those of the test that runs. */
export function useOwnStream(): TestStream {
  const options = ownStream();
  beforeEach(async () => {
    Object.assign(options, ownStream());
    await connectEvents(process.env.NATS_URL ?? '', 'test', { ...options });
  });
  afterEach(async () => {
    await closeEvents();
    await removeStream(options.stream);
  });
  return options;
}

/** The name of the stream that has the events of a type. */
export const streamWith = (options: TestStream, type: EventType): string => streamSettings(options).names[streamOf(type)];

/** Longer than a busy machine keeps NATS from an answer. */
const patience = { timeout: 120_000 };

export async function withNats<T>(
  use: (connection: NatsConnection) => Promise<T>,
  servers = process.env.NATS_URL,
  options: ConnectionOptions = {},
): Promise<T> {
  const connection = await connect({ servers, ...patience, ...options });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

/** The messages on a stream, in order; empty if there is no stream. */
export const messagesOn = (stream: string, servers?: string): Promise<StoredMsg[]> =>
  withNats(async (connection) => {
    const { streams } = await connection.jetstreamManager(patience);
    const last = await streams.info(stream).then(
      ({ state }) => state.last_seq,
      () => 0,
    );
    return Promise.all(Array.from({ length: last }, (_, index) => streams.getMessage(stream, { seq: index + 1 })));
  }, servers);

const removeStreamsThat = (isOurs: (name: string) => boolean): Promise<void> =>
  withNats(async (connection) => {
    const { streams } = await connection.jetstreamManager(patience);
    const names: string[] = [];
    for await (const name of streams.names()) if (isOurs(name)) names.push(name);
    for (const name of names) await streams.delete(name);
  });

/** Removes the stream and those beside it. Their first users create them, so they may not exist. */
export const removeStream = (stream: string): Promise<void> =>
  removeStreamsThat((name) => name === stream || name.startsWith(`${stream}_`));

/** Deletes all streams whose names begin with the prefix. */
export const removeStreams = (prefix: string): Promise<void> => removeStreamsThat((name) => name.startsWith(prefix));

/** Publishes an event as `times` separate messages, as soon as the stream exists. */
export async function publish(
  options: TestStream,
  org_id: string,
  { times = 1, type = 'internal.template.deleted' as EventType } = {},
): Promise<void> {
  const id = randomUUID();
  const event = { id, type, timestamp: new Date().toISOString(), org_id, api_version: 'v1', data: { template_id: id } };
  await withNats(async (connection) => {
    const { streams } = await connection.jetstreamManager(patience);
    await until(() => streams.info(streamWith(options, type)).then(Boolean, () => false));
    const subject = `${options.subjectPrefix}${subjectOf(type)}`;
    for (let time = 0; time < times; time++) await connection.jetstream().publish(subject, JSON.stringify(event));
  });
}

/** Publishes texts on a subject, as soon as the stream exists. */
export const put = ({ stream, subjectPrefix }: TestStream, subject: string, texts: readonly string[]): Promise<void> =>
  withNats(async (connection) => {
    const { streams } = await connection.jetstreamManager(patience);
    await until(() => streams.info(stream).then(Boolean, () => false));
    for (const text of texts) await connection.jetstream().publish(`${subjectPrefix}${subject}`, text);
  });

/** Waits until the consumer has handled all messages of the stream that has events of the type. */
export const quiet = (options: TestStream, consumer: string, timeoutMs?: number, type: EventType = 'client.created'): Promise<void> =>
  until(
    () =>
      withNats(async (connection) => {
        const { consumers } = await connection.jetstreamManager(patience);
        const { num_pending, num_ack_pending } = await consumers.info(streamWith(options, type), consumer);
        return num_pending + num_ack_pending === 0;
      }).catch(() => false),
    timeoutMs,
  );
