import { randomUUID } from 'node:crypto';
import { until, useTestStore } from '@webkiln/store/testing';
import { findBus, theBus } from '../bus.ts';
import { closeEvents, connectEvents } from '../connection.ts';
import { startRelay } from '../relay/relay.ts';
import { messagesOn, ownStream, record, removeStream, withNats } from '../testing/template-records.ts';
import { feedIsLive, onFeedRestored, startHeartbeat } from './feed.ts';
import { listen, subscribe } from './listen.ts';

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
