import { randomUUID } from 'node:crypto';
import { until, useTestStore } from '@webkiln/store/testing';
import { closeEvents, connectEvents } from './connection.ts';
import { feedIsLive, onFeedRestored, startBeat } from './feed.ts';
import { listen } from './listen.ts';
import { startRelay } from './relay.ts';
import { messagesOn, ownStream, record, removeStream, Templates, withNats } from './testing.ts';

useTestStore();

const options = ownStream();
const beat = () => withNats(async (connection) => connection.publish(`${options.subjectPrefix}beat.identity`));

beforeEach(() => connectEvents(process.env.NATS_URL ?? '', 'test', options));
afterEach(closeEvents);
afterAll(() => removeStream(options.stream));

test('what is written is heard by all who listen, with its organization, within a second', async () => {
  const heard: string[] = [];
  for (let listener = 0; listener < 2; listener++) listen('internal.template.deleted', ({ org_id }) => heard.push(org_id));
  startRelay([Templates]);
  await record();
  await until(() => heard.length === 2);
  const startedAt = Date.now();
  for (let written = 2; written <= 11; written++) {
    const [org_id, writtenAt] = [randomUUID(), Date.now()];
    await record(0, org_id);
    await until(() => heard.length === 2 * written);
    expect(Date.now() - writtenAt).toBeLessThan(1_000);
    expect(heard.slice(-2)).toEqual([org_id, org_id]);
  }
  // The sweep of each second alone would be in time, but not for ten in a row.
  expect(Date.now() - startedAt).toBeLessThan(5_000);
});

test('the feed is live with a beat each second, and no beat is kept on the stream', async () => {
  expect(feedIsLive()).toBe(false);
  startBeat();
  await until(feedIsLive);
  const before = (await messagesOn(options.stream)).length;
  const until4s = Date.now() + 4_000;
  await until(() => {
    expect(feedIsLive()).toBe(true);
    return Date.now() > until4s;
  });
  expect(await messagesOn(options.stream)).toHaveLength(before);
});

test('without a beat the feed is not live after 2.5 s, and its return is told each time', async () => {
  let restored = 0;
  onFeedRestored(() => restored++);
  for (let times = 1; times <= 2; times++) {
    await until(async () => {
      await beat();
      return feedIsLive();
    });
    const lastBeatAt = Date.now();
    expect(restored).toBe(times);
    await until(() => !feedIsLive());
    expect(Date.now() - lastBeatAt).toBeLessThan(3_000);
  }
});
