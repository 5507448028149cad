import { randomUUID } from 'node:crypto';
import { Change, eventStreams } from '@webkiln/messages';
import { insertChange } from '@webkiln/store';
import { testCaller, until, useTestStore } from '@webkiln/store/testing';
import { type JetStreamManager, type NatsConnection, nanos, type StreamInfo } from 'nats';
import { findBus, theBus } from './bus.ts';
import { closeEvents, connectEvents } from './connection.ts';
import { consume, consumeStream } from './consume/consume.ts';
import { type EventsOptions, openEventStreams, streamSettings } from './event-streams.ts';
import { answeredRequests, FireAndForgetStream } from './fire-and-forget-stream.ts';
import { neverBelowUse } from './persistent-stream.ts';
import { startRelay } from './relay/relay.ts';
import { add, totalOf } from './testing/tallies.ts';
import { messagesOn, ownStream, quiet, removeStream, streamWith, Templates, useOwnStream, withNats } from './testing/template-records.ts';

useTestStore();

describe('streams of events', () => {
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
});

describe('the prefix', () => {
  afterEach(closeEvents);

  test.each([[''], ['other_']])('platforms on one NATS share no stream or subject: prefix "%s"', async (prefix) => {
    await connectEvents(process.env.NATS_URL ?? '', 'test', { subjectPrefix: prefix });
    const streams = [...Object.values(theBus().streams), answeredRequests(theBus())];
    expect(streams.map(({ name, subjects }) => [name, subjects])).toEqual([
      [`${prefix}EVENTS`, [`${prefix}events.>`, `${prefix}internal.>`]],
      [`${prefix}MAILS`, [`${prefix}mails.>`]],
      [`${prefix}AUDIT`, [`${prefix}audit.>`]],
      [`${prefix}FORMS`, [`${prefix}forms.>`]],
      [`${prefix}REQUESTS`, [`${prefix}requests.answered`]],
    ]);
  });
});

describe('a fire-and-forget stream', () => {
  interface Tally {
    readonly id: string;
    readonly type: string;
    readonly org_id: string;
  }

  const maxBytes = 64 * 1024;
  const subject = 'tallies';
  const options = useOwnStream();
  beforeEach(() => until(() => findBus()?.connection !== undefined));

  const stream = () => new FireAndForgetStream<Tally>(theBus(), { name: options.stream, subject, maxBytes });
  const tally = (more: Partial<Tally> = {}): Tally => ({ id: randomUUID(), type: 'tally', org_id: randomUUID(), ...more });

  test('a full stream deletes its oldest messages and accepts new ones', async () => {
    const lossy = stream();
    const text = 'x'.repeat(10_000);
    for (const type of ['first', ...Array.from({ length: 9 }, () => text), 'last']) await lossy.publish(tally({ type }));
    const { state } = await withNats(async (connection) => (await connection.jetstreamManager()).streams.info(options.stream));
    expect(state.last_seq).toBe(11);
    expect(state.first_seq).toBeGreaterThan(1);
    expect(state.bytes).toBeLessThanOrEqual(maxBytes);
  });

  test('a message that is published again is on the stream once', async () => {
    const [lossy, message] = [stream(), tally()];
    await lossy.publish(message);
    await lossy.publish(message);
    expect(await messagesOn(options.stream)).toHaveLength(1);
  });

  test('publishing fails while NATS is away, and a lost stream is created again', async () => {
    const lossy = stream();
    await lossy.publish(tally());
    await removeStream(options.stream);
    await expect(lossy.publish(tally())).rejects.toThrow();
    await lossy.publish(tally());
    expect(await messagesOn(options.stream)).toHaveLength(1);
    await closeEvents();
    await expect(lossy.publish(tally())).rejects.toThrow();
  });

  test('a message that is on the stream twice takes effect once', async () => {
    const [lossy, message] = [stream(), tally()];
    await lossy.publish(message);
    await withNats((connection) => connection.jetstream().publish(`${options.subjectPrefix}${subject}`, JSON.stringify(message)));
    consumeStream(lossy, { name: 'tallies', transactionalHandler: add });
    await quiet(options, 'tallies');
    expect([(await messagesOn(options.stream)).length, await totalOf(message.org_id)]).toEqual([2, 1]);
  });
});
