import { randomUUID } from 'node:crypto';
import { waitingRecords } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import { closeEvents, connectEvents, eventsCheck } from './connection.ts';
import { consume } from './consume.ts';
import { feedIsLive, onFeedRestored, startBeat } from './feed.ts';
import { NatsServer } from './nats-server.ts';
import { startRelay } from './relay.ts';
import { marksOn, ownStream, record, Templates } from './testing.ts';

useTestStore();

let nats: NatsServer;
const { stream, ...options } = ownStream();

beforeEach(async () => {
  nats = await NatsServer.notYetStarted();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await closeEvents();
  await nats.remove();
});

const connectTo = () => connectEvents(nats.url, 'test', { stream, ...options });
const told = () => until(async () => (await waitingRecords(Templates, 1)).length === 0);

test('a service starts without NATS; its events wait, and go out in order within seconds of NATS’ return', async () => {
  await connectTo();
  startRelay([Templates]);
  await expect(eventsCheck()).rejects.toMatchObject({ code: 'unavailable' });
  const ids = await Promise.all(Array.from({ length: 10 }, () => record(2)));
  await nats.start();
  await told();
  await eventsCheck();
  const marks = await marksOn(stream, nats.url);
  expect(marks).toHaveLength(30);
  for (const id of ids) expect(marks.filter((mark) => mark.startsWith(id))).toEqual([0, 1, 2].map((n) => `${id} ${n}`));
});

test('kill -9 of NATS under load loses no event, doubles none and keeps each record’s order', async () => {
  await nats.start();
  await connectTo();
  startRelay([Templates]);
  const ids: string[] = [];
  const writing = (async () => {
    for (let round = 0; round < 60; round++) ids.push(...(await Promise.all([record(2), record(2), record(2)])));
  })();
  for (let kills = 0; kills < 3; kills++) {
    const before = ids.length;
    await until(() => ids.length > before + 30);
    await nats.kill();
    await nats.start();
  }
  await writing;
  await told();
  const marks = await marksOn(stream, nats.url);
  expect([marks.length, new Set(marks).size]).toEqual([540, 540]);
  for (const id of ids) expect(marks.filter((mark) => mark.startsWith(id))).toEqual([0, 1, 2].map((n) => `${id} ${n}`));
});

test('while NATS is paused writes go on; afterwards everything is there once', async () => {
  await nats.start();
  await connectTo();
  startRelay([Templates]);
  await record();
  await told();
  nats.pause();
  const ids = await Promise.all(Array.from({ length: 10 }, () => record()));
  await until(() =>
    eventsCheck().then(
      () => false,
      () => true,
    ),
  );
  nats.continue();
  await told();
  const marks = await marksOn(stream, nats.url);
  expect(marks.slice(1).sort()).toEqual(ids.map((id) => `${id} 0`).sort());
});

test('after NATS lost its disk the stream and its consumers are there again, and events reach their effects', async () => {
  await nats.start();
  await connectTo();
  startRelay([Templates]);
  const heard: string[] = [];
  const effect = async ({ data }: { data: { template_id: string } }) => void heard.push(data.template_id);
  consume({ name: `test-${randomUUID()}`, types: ['internal.template.deleted'], effect });
  const before = await record();
  await until(() => heard.length === 1);
  await nats.kill();
  nats.empty();
  const meanwhile = await record();
  await nats.start();
  const after = await record();
  await until(() => heard.length === 3);
  expect(heard[0]).toBe(`${before} 0`);
  expect(heard.slice(1).sort()).toEqual([`${meanwhile} 0`, `${after} 0`].sort());
});

test('the feed is not live while NATS is away; its return is told, however short the gap', async () => {
  await nats.start();
  await connectTo();
  startBeat();
  let restored = 0;
  onFeedRestored(() => restored++);
  // The clock stands still: no beat grows old, and only the loss of the connection ends the feed.
  jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  await until(() => restored === 1);
  expect(feedIsLive()).toBe(true);
  await nats.kill();
  await until(() => !feedIsLive());
  await nats.start();
  await until(() => restored === 2);
  expect(feedIsLive()).toBe(true);
});
