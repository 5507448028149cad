import { randomUUID } from 'node:crypto';
import { until, useTestStore } from '@webkiln/store/testing';
import { follow } from './broadcast/follow.ts';
import { feedIsLive, findBus, listen, onFeedRestored, startHeartbeat, subscribe, theBus } from './bus.ts';
import { closeEvents, connectEvents } from './connection.ts';
import { openEventStreams, streamSettings } from './event-streams.ts';
import { startRelay } from './relay/relay.ts';
import { NatsServer } from './testing/nats-server.ts';
import { messagesOn, ownStream, record, removeStream, withNats } from './testing/template-records.ts';

describe('the feed of identity', () => {
  useTestStore();

  const options = ownStream();
  const publishHeartbeat = () => withNats(async (connection) => connection.publish(`${options.subjectPrefix}beat.identity`));

  beforeEach(() => connectEvents(process.env.NATS_URL ?? '', 'test', options));
  afterEach(async () => {
    jest.restoreAllMocks();
    await closeEvents();
  });
  afterAll(() => removeStream(options.stream));

  test('every listener receives an event with its organization, without waiting for the relay’s next sweep', async () => {
    const received: string[] = [];
    for (let listener = 0; listener < 2; listener++) listen('internal.template.deleted', ({ org_id }) => received.push(org_id));
    startRelay();
    await record();
    await until(() => received.length === 2);
    // The clock stands still, so no sweep is due.
    jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    for (let written = 2; written <= 11; written++) {
      const org_id = randomUUID();
      await record(0, org_id);
      await until(() => received.length === 2 * written);
      expect(received.slice(-2)).toEqual([org_id, org_id]);
    }
  });

  test('a heartbeat each second makes the feed live and is stored on no stream', async () => {
    const { subjectPrefix: prefix, stream } = options;
    await until(() => findBus()?.connection !== undefined);
    const passed: string[] = [];
    subscribe(theBus(), `${prefix}beat.>`, () => passed.push('beat'));
    subscribe(theBus(), `${prefix}over`, () => passed.push('over'));
    const before = (await messagesOn(stream)).length;
    expect(feedIsLive()).toBe(false);
    startHeartbeat();
    // Timers of equal length fire in the order in which they were set, however late they are.
    await new Promise<void>((resolve) => {
      let seconds = 0;
      const clock = setInterval(() => {
        if (++seconds < 4) return;
        clearInterval(clock);
        resolve();
      }, 1_000);
    });
    theBus().connection?.publish(`${prefix}over`);
    await until(() => passed.includes('over'));
    expect(passed.indexOf('over')).toBeGreaterThanOrEqual(4);
    await until(feedIsLive);
    expect(await messagesOn(stream)).toHaveLength(before);
  });

  test('without a heartbeat the feed is not live after 2.5 s, and each return is signalled', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    let restored = 0;
    onFeedRestored(() => restored++);
    for (let times = 1; times <= 2; times++) {
      const now = times * 10_000;
      clock.mockReturnValue(now);
      expect(feedIsLive()).toBe(false);
      await until(async () => {
        await publishHeartbeat();
        return restored === times;
      });
      clock.mockReturnValue(now + 2_499);
      expect(feedIsLive()).toBe(true);
      clock.mockReturnValue(now + 2_500);
      expect(feedIsLive()).toBe(false);
    }
  });
});

describe('follow', () => {
  const options = ownStream();
  const { subjectPrefix: prefix } = options;
  let nats: NatsServer;
  let received: string[];

  beforeEach(async () => {
    received = [];
    nats = await NatsServer.notYetStarted();
  });
  afterEach(async () => {
    await closeEvents();
    await nats.remove();
  });

  const connectTo = () => connectEvents(nats.url, 'test', options);
  const receive = async ({ id }: { id: string }) => void received.push(id);
  /** Publishes an event of each type; returns their ids. */
  const published = (...types: string[]): Promise<string[]> =>
    withNats(async (connection) => {
      for (const made of Object.values(openEventStreams(streamSettings(options)))) await made.ensure(connection);
      const ids = types.map(() => randomUUID());
      for (const [index, type] of types.entries()) {
        await connection.jetstream().publish(`${prefix}events.${type}`, JSON.stringify({ id: ids[index], type }));
      }
      return ids;
    }, nats.url);

  test('a follower receives the events of its types from its start, in order and once each, through a kill -9 of NATS', async () => {
    await nats.start();
    await published('client.created');
    await connectTo();
    await follow(['client.created', 'client.updated'], receive);
    const [first = '', , third = ''] = await published('client.created', 'project.created', 'client.updated');
    await until(() => received.length === 2);
    await nats.kill();
    await nats.start();
    const later = await published('client.updated', 'client.created', 'client.updated');
    await until(() => received.length >= 5);
    expect(received).toEqual([first, third, ...later]);
  });

  test('no event is missed if NATS goes away before the first one arrives', async () => {
    await nats.start();
    await published('client.created');
    await connectTo();
    await follow(['client.created'], receive);
    await nats.kill();
    await nats.start();
    const ids = await published('client.created');
    await until(() => received.length > 0);
    expect(received).toEqual(ids);
  });

  test('an event whose handler fails is handled again before the next one', async () => {
    await nats.start();
    await connectTo();
    await follow(['client.created'], async (event) => {
      await receive(event);
      if (received.length < 3) throw new Error('not now');
    });
    const [first, second] = await published('client.created', 'client.created');
    await until(() => received.length >= 4);
    expect(received).toEqual([first, first, first, second]);
  });

  test('following starts when NATS is reachable, and continues after NATS returns with an empty disk', async () => {
    await connectTo();
    const following = follow(['client.created'], receive);
    await nats.start();
    await following;
    await published('client.created', 'client.created');
    await until(() => received.length === 2);
    await nats.kill();
    nats.empty();
    await nats.start();
    const [id] = await published('client.created');
    await until(() => received.length === 3);
    expect(received[2]).toBe(id);
  });

  test('following ends when the process stops before NATS was ever reachable', async () => {
    await connectTo();
    const following = follow(['client.created'], receive);
    await closeEvents();
    await following;
    expect(received).toEqual([]);
  });
});
