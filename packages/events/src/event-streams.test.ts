import { randomUUID } from 'node:crypto';
import { Change, eventStreams } from '@webkiln/messages';
import { insertChange } from '@webkiln/store';
import { testCaller, until, useTestStore } from '@webkiln/store/testing';
import { type JetStreamManager, type NatsConnection, nanos, type StreamInfo } from 'nats';
import { theBus } from './bus.ts';
import { closeEvents, connectEvents } from './connection.ts';
import { consume } from './consume/consume.ts';
import { openEventStreams } from './event-streams.ts';
import { type EventsOptions, streamSettings } from './events-options.ts';
import { neverBelowUse } from './persistent-stream.ts';
import { startRelay } from './relay/relay.ts';
import { messagesOn, ownStream, removeStream, streamWith, Templates, withNats } from './testing/template-records.ts';

useTestStore();

const options = ownStream();
const connectTo = (changed: EventsOptions = {}) => connectEvents(process.env.NATS_URL ?? '', 'test', { ...options, ...changed });
const manage = <T>(use: (manager: JetStreamManager) => Promise<T>) =>
  withNats(async (connection) => use(await connection.jetstreamManager()));
const invited = 'internal.member.invited' as const;

afterEach(async () => {
  await closeEvents();
  await removeStream(options.stream);
});

const raise = (...events: Parameters<typeof insertChange>[2]['events']) => {
  const [_id, caller] = [randomUUID(), testCaller(randomUUID())];
  return insertChange(Templates, caller, new Change({ _id, name: 'a' }, events));
};
const mail = { type: invited, data: { invitation_id: 'mail' } };
const cascade = { type: 'internal.template.deleted' as const, data: { template_id: 'cascade' } };
const dataOn = async (stream: string) => (await messagesOn(stream)).map((message) => message.json<{ data: unknown }>().data);

test('a full stream holds back its own events alone, even those of one record, and takes them when it has room', async () => {
  await connectTo();
  startRelay();
  await raise(mail);
  const mails = streamWith(options, invited);
  await until(async () => (await messagesOn(mails)).length === 1);
  await manage(({ streams }) => streams.update(mails, { max_msgs: 1 }));
  await raise({ type: invited, data: { invitation_id: 'held' } }, cascade);
  await until(async () => (await dataOn(options.stream)).length === 1);
  expect([await dataOn(mails), await dataOn(options.stream)]).toEqual([[mail.data], [cascade.data]]);
  await manage(({ streams }) => streams.update(mails, { max_msgs: -1 }));
  await until(async () => (await messagesOn(mails)).length === 2);
  expect([await dataOn(mails), await dataOn(options.stream)]).toEqual([[mail.data, { invitation_id: 'held' }], [cascade.data]]);
});

test('an event that an earlier release published on EVENTS is handled, once, though it is also on its own stream', async () => {
  await connectTo();
  const handled: string[] = [];
  consume({ name: 'mails', types: [invited], atLeastOnceHandler: async ({ id }) => void handled.push(id) });
  const ids = [randomUUID(), randomUUID()];
  await until(() => manage(({ consumers }) => consumers.info(options.stream, 'mails')).then(Boolean, () => false));
  await withNats(async (connection) => {
    const put = (subject: string, id: string | undefined) =>
      connection.jetstream().publish(`${options.subjectPrefix}${subject}`, JSON.stringify({ id, type: invited }));
    for (const id of ids) await put(invited, id);
    await until(() => handled.length === 2);
    await put(`mails.${invited}`, ids[0]);
    const last = randomUUID();
    await put(`mails.${invited}`, last);
    ids.push(last);
  });
  await until(() => handled.includes(ids[2] ?? ''));
  expect(handled.toSorted()).toEqual(ids.toSorted());
});

test('a start with smaller limits keeps what is on the stream, and with larger ones applies them', async () => {
  const mb = 1024 ** 2;
  const limits = () => manage(async ({ streams }) => (await streams.info(options.stream)).config);
  const open = (changed: EventsOptions) =>
    withNats((connection: NatsConnection) => openEventStreams(streamSettings({ ...options, ...changed })).EVENTS.ensure(connection));
  await open({});
  await withNats(async (connection) => {
    for (let n = 0; n < 4; n++) await connection.jetstream().publish(`${options.subjectPrefix}internal.x`, new Uint8Array(mb / 2));
  });
  await open({ maxBytes: { EVENTS: mb } });
  expect((await limits()).max_bytes).toBeGreaterThanOrEqual(2 * mb);
  expect(await messagesOn(options.stream)).toHaveLength(4);
  await open({ maxBytes: { EVENTS: 32 * mb } });
  expect((await limits()).max_bytes).toBe(32 * mb);
});

test('a start with a shorter age keeps the age while an older event is on the stream', () => {
  const dayMs = 24 * 3600_000;
  const of = (first: number, messages: number) => ({
    config: { name: 'EVENTS', max_age: nanos(7 * dayMs) },
    state: { messages, bytes: 0, first_ts: new Date(Date.now() - first).toISOString() },
  });
  const kept = (first: number, messages = 1) => neverBelowUse({ max_age: nanos(2 * dayMs) }, of(first, messages) as StreamInfo);
  expect([kept(3 * dayMs), kept(dayMs), kept(3 * dayMs, 0)]).toEqual([{ max_age: nanos(7 * dayMs) }, {}, {}]);
});

test('each stream has the size that is set for it', async () => {
  await connectTo({ maxBytes: { EVENTS: 4096, MAILS: 1024, AUDIT: 2048, FORMS: 8192 } });
  await until(() => theBus().connection !== undefined);
  for (const stream of eventStreams) await theBus().streams[stream].ensure(theBus().connection as NatsConnection);
  const sizes = await manage(({ streams }) =>
    Promise.all(eventStreams.map(async (name) => (await streams.info(theBus().streams[name].name)).config.max_bytes)),
  );
  expect(sizes).toEqual([4096, 1024, 2048, 8192]);
});
