import { randomUUID } from 'node:crypto';
import { until, useTestStore } from '@webkiln/store/testing';
import { findBus } from '../bus.ts';
import { closeEvents, connectEvents } from '../connection.ts';
import { ownStream, put as putOn, quiet, removeStream, signsOfWork } from '../testing/template-records.ts';
import { consumeBatches, type StreamEvent } from './consume.ts';

useTestStore();

let options: ReturnType<typeof ownStream>;
const types = ['client.created'] as const;
const connectNow = () => connectEvents(process.env.NATS_URL ?? '', 'test', options);

beforeEach(async () => {
  options = ownStream();
  await connectNow();
});
afterEach(async () => {
  await closeEvents();
  await removeStream(options.stream);
});

const put = (texts: readonly string[]) => putOn(options, 'events.client.created', texts);
const eventText = (id: string = randomUUID()) => JSON.stringify({ id, type: 'client.created', org_id: 'org', data: { name: 'Söhne' } });
/** Records a batch; all of its events succeed. */
const noted = (note: (events: readonly StreamEvent[]) => void) => (events: readonly StreamEvent[]) => {
  note(events);
  return events.map(() => Promise.resolve());
};

test('each event is delivered with its exact text, once unless it fails', async () => {
  const seen: StreamEvent[] = [];
  consumeBatches({ name: 'batches', types, handle: noted((events) => seen.push(...events)) });
  const texts = Array.from({ length: 300 }, () => eventText());
  await put(texts);
  await quiet(options, 'batches');
  expect(seen.map(({ json }) => json).toSorted()).toEqual(texts.toSorted());
  expect(seen[0]).toMatchObject({ type: 'client.created', org_id: 'org', redelivered: false });
});

test('events that wait on the stream are delivered in batches', async () => {
  await startedOnce();
  await put(Array.from({ length: 200 }, () => eventText()));
  const sizes: number[] = [];
  consumeBatches({ name: 'batches', types, handle: noted((events) => sizes.push(events.length)) });
  await quiet(options, 'batches');
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(200);
  expect(Math.max(...sizes)).toBeGreaterThan(1);
});

test('only a failed event is redelivered, marked as redelivered', async () => {
  const seen = new Map<string, boolean[]>();
  const [bad, good] = [randomUUID(), randomUUID()];
  const handle = ({ id, redelivered }: StreamEvent) => {
    const times = [...(seen.get(id) ?? []), redelivered];
    seen.set(id, times);
    return id === bad && times.length < 3 ? Promise.reject(new Error('fails twice')) : Promise.resolve();
  };
  consumeBatches({ name: 'batches', types, handle: (events) => events.map(handle) });
  await put([eventText(bad), eventText(good)]);
  await quiet(options, 'batches');
  expect(seen.get(bad)).toEqual([false, true, true]);
  expect(seen.get(good)).toEqual([false]);
});

test('at most `concurrency` events are in flight, and more are requested before all are done', async () => {
  let open: (() => void)[] = [];
  let begun = 0;
  const handle = () => {
    begun++;
    return new Promise<void>((resolve) => void open.push(resolve));
  };
  consumeBatches({ name: 'batches', types, concurrency: 8, handle: (events) => events.map(handle) });
  await put(Array.from({ length: 20 }, () => eventText()));
  await until(() => begun === 8);
  for (const end of open.splice(0, 4)) end();
  await until(() => begun === 12);
  expect(open).toHaveLength(8);
  while (begun < 20 || open.length > 0) {
    for (const end of open) end();
    open = [];
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await quiet(options, 'batches');
});

test('an event that takes longer than the ack wait extends it each time', async () => {
  const ended = Promise.withResolvers<void>();
  await until(() => findBus()?.connection !== undefined);
  const signs = signsOfWork(options.stream, 'batches');
  consumeBatches({ name: 'batches', types, ackWaitMs: 600, handle: (events) => events.map(() => ended.promise) });
  await put([eventText()]);
  await signs.inEachOf(4, 600);
  ended.resolve();
  await quiet(options, 'batches');
});

test('closing waits for the events in flight', async () => {
  let begun = false;
  let ended = false;
  const handle = async () => {
    begun = true;
    await new Promise((resolve) => setTimeout(resolve, 300));
    ended = true;
  };
  consumeBatches({ name: 'batches', types, handle: (events) => events.map(handle) });
  await put([eventText()]);
  await until(() => begun);
  await closeEvents();
  expect(ended).toBe(true);
});

/** Creates the stream, by a consumer that is closed again. */
async function startedOnce(): Promise<void> {
  consumeBatches({ name: 'batches', types, handle: noted(() => undefined) });
  await quiet(options, 'batches');
  await closeEvents();
  await connectNow();
}
