import { randomUUID } from 'node:crypto';
import { until, useTestStore } from '@webkiln/store/testing';
import { findBus, theBus } from './bus.ts';
import { closeEvents, connectEvents } from './connection.ts';
import { feedIsLive, onFeedRestored, startBeat } from './feed.ts';
import { listen, subscribe } from './listen.ts';
import { startRelay } from './relay.ts';
import { messagesOn, ownStream, record, removeStream, Templates, withNats } from './testing.ts';

useTestStore();

const options = ownStream();
const beat = () => withNats(async (connection) => connection.publish(`${options.subjectPrefix}beat.identity`));

beforeEach(() => connectEvents(process.env.NATS_URL ?? '', 'test', options));
afterEach(async () => {
  jest.restoreAllMocks();
  await closeEvents();
});
afterAll(() => removeStream(options.stream));

test('what is written is heard by all who listen, with its organization, without waiting for the relay’s next sweep', async () => {
  const heard: string[] = [];
  for (let listener = 0; listener < 2; listener++) listen('internal.template.deleted', ({ org_id }) => heard.push(org_id));
  startRelay([Templates]);
  await record();
  await until(() => heard.length === 2);
  // The clock stands still: no sweep is due any more.
  jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  for (let written = 2; written <= 11; written++) {
    const org_id = randomUUID();
    await record(0, org_id);
    await until(() => heard.length === 2 * written);
    expect(heard.slice(-2)).toEqual([org_id, org_id]);
  }
});

test('there is a beat each second, which makes the feed live and is kept on no stream', async () => {
  const { subjectPrefix: prefix, stream } = options;
  await until(() => findBus()?.connection !== undefined);
  const passed: string[] = [];
  subscribe(theBus(), `${prefix}beat.>`, () => passed.push('beat'));
  subscribe(theBus(), `${prefix}over`, () => passed.push('over'));
  const before = (await messagesOn(stream)).length;
  expect(feedIsLive()).toBe(false);
  startBeat();
  // Of two timers of a second the one that was set first goes off first, however late both are.
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

test('without a beat the feed is not live after 2.5 s, and its return is told each time', async () => {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  let restored = 0;
  onFeedRestored(() => restored++);
  for (let times = 1; times <= 2; times++) {
    const now = times * 10_000;
    clock.mockReturnValue(now);
    expect(feedIsLive()).toBe(false);
    await until(async () => {
      await beat();
      return restored === times;
    });
    clock.mockReturnValue(now + 2_499);
    expect(feedIsLive()).toBe(true);
    clock.mockReturnValue(now + 2_500);
    expect(feedIsLive()).toBe(false);
  }
});
