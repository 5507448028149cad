import { randomUUID } from 'node:crypto';
import { waitingRecords } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import { feedIsLive, onFeedRestored, startHeartbeat } from '../bus.ts';
import { closeEvents, connectEvents, eventsCheck } from '../connection.ts';
import { consume } from '../consume/consume.ts';
import { NatsServer } from '../testing/nats-server.ts';
import { marksOn, ownStream, record, Templates } from '../testing/template-records.ts';
import { startRelay } from './relay.ts';

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
const allPublished = () => until(async () => (await waitingRecords(Templates, 1)).length === 0);

test('a service starts without NATS; its events wait and are published in order within seconds of its return', async () => {
  await connectTo();
  startRelay();
  await expect(eventsCheck()).rejects.toMatchObject({ code: 'unavailable' });
  const ids = await Promise.all(Array.from({ length: 10 }, () => record(2)));
  await nats.start();
  await allPublished();
  await eventsCheck();
  const marks = await marksOn(stream, nats.url);
  expect(marks).toHaveLength(30);
  for (const id of ids) expect(marks.filter((mark) => mark.startsWith(id))).toEqual([0, 1, 2].map((n) => `${id} ${n}`));
});

test('kill -9 of NATS under load loses no event, duplicates none and keeps each record’s order', async () => {
  await nats.start();
  await connectTo();
  startRelay();
  const ids: string[] = [];
  let isWriting = true;
  const writing = (async () => {
    while (isWriting) ids.push(...(await Promise.all([record(2), record(2), record(2)])));
  })();
  const moreAreWritten = async () => {
    const before = ids.length;
    await until(() => ids.length > before + 30);
  };
  for (let kills = 0; kills < 3; kills++) {
    await moreAreWritten();
    await nats.kill();
    await nats.start();
  }
  await moreAreWritten();
  isWriting = false;
  await writing;
  await allPublished();
  const marks = await marksOn(stream, nats.url);
  expect([marks.length, new Set(marks).size]).toEqual([3 * ids.length, 3 * ids.length]);
  for (const id of ids) expect(marks.filter((mark) => mark.startsWith(id))).toEqual([0, 1, 2].map((n) => `${id} ${n}`));
});

test('writes succeed while NATS is paused; afterwards every event is on the stream once', async () => {
  await nats.start();
  await connectTo();
  startRelay();
  await record();
  await allPublished();
  await nats.pause();
  const ids = await Promise.all(Array.from({ length: 10 }, () => record()));
  await until(() =>
    eventsCheck().then(
      () => false,
      () => true,
    ),
  );
  nats.continue();
  await allPublished();
  const marks = await marksOn(stream, nats.url);
  expect(marks.slice(1).sort()).toEqual(ids.map((id) => `${id} 0`).sort());
});

test('after NATS lost its disk, stream and consumers are created again and events are handled', async () => {
  await nats.start();
  await connectTo();
  startRelay();
  const received: string[] = [];
  const effect = async ({ data }: { data: { template_id: string } }) => void received.push(data.template_id);
  consume({ name: `test-${randomUUID()}`, types: ['internal.template.deleted'], transactionalHandler: effect });
  const before = await record();
  await until(() => received.length === 1);
  await nats.kill();
  nats.empty();
  const meanwhile = await record();
  await nats.start();
  const after = await record();
  await until(() => received.length === 3);
  expect(received[0]).toBe(`${before} 0`);
  expect(received.slice(1).sort()).toEqual([`${meanwhile} 0`, `${after} 0`].sort());
});

test('the feed is not live while NATS is away; its return is signalled, however short the gap', async () => {
  await nats.start();
  await connectTo();
  startHeartbeat();
  let restored = 0;
  onFeedRestored(() => restored++);
  // The clock stands still: no heartbeat ages, so only the lost connection ends the feed.
  jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  await until(() => restored === 1);
  expect(feedIsLive()).toBe(true);
  await nats.kill();
  await until(() => !feedIsLive());
  await nats.start();
  await until(() => restored === 2);
  expect(feedIsLive()).toBe(true);
});
