import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { eraseOrganization } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import { theBus } from '../bus.ts';
import { closeEvents, connectEvents } from '../connection.ts';
import { listDeadLetters } from '../dead-letters/dead-letter-store.ts';
import { replayDeadLetter } from '../dead-letters/index.ts';
import type { GiveUp } from '../event-streams.ts';
import { FireAndForgetStream } from '../fire-and-forget-stream.ts';
import { add, totalOf } from '../testing/tallies.ts';
import { ownStream, publish, put, quiet, removeStream } from '../testing/template-records.ts';
import { consume, consumeBatches, consumeStream } from './consume.ts';

useTestStore();

let options: ReturnType<typeof ownStream>;
const newName = () => `test-${randomUUID()}`;
const types = ['internal.template.deleted'] as const;
const connect = (retryForMs?: number, keepMax = 1_000) => connectWith({ keepMax, ...(retryForMs !== undefined && { retryForMs }) });
const connectWith = (giveUp: Partial<GiveUp>) => connectEvents(process.env.NATS_URL ?? '', 'test', { ...options, giveUp });
const deadLettersOf = async (consumer: string) => (await listDeadLetters({ consumer })).found;

beforeEach(async () => {
  options = ownStream();
});
afterEach(async () => {
  await closeEvents();
  await removeStream(options.stream);
});

const unreadable = [
  'not JSON',
  'null',
  '[]',
  '"text"',
  '{}',
  '{"id":1,"type":"internal.template.deleted"}',
  '{"id":"of an old format"}',
  '',
];

test('messages that cannot be read are set aside, and the others are handled', async () => {
  const [org_id, consumer] = [randomUUID(), newName()];
  await connect();
  consume({ name: consumer, types, concurrency: 1, transactionalHandler: add });
  await put(options, types[0], unreadable);
  await publish(options, org_id);
  await quiet(options, consumer);
  expect(await totalOf(org_id)).toBe(1);
  expect((await deadLettersOf(consumer)).map(({ text }) => text ?? '').toSorted()).toEqual(unreadable.toSorted());
});

test('an event whose handler never ends comes again, and others get its place', async () => {
  const handled: string[] = [];
  let calls = 0;
  await connectWith({ maxHandlingMs: 50 });
  const atLeastOnceHandler = async ({ org_id }: { org_id: string }) => {
    if (++calls === 1) await new Promise(() => undefined);
    handled.push(org_id);
  };
  consume({ name: newName(), types, concurrency: 1, atLeastOnceHandler });
  const organizations = [randomUUID(), randomUUID()];
  for (const org_id of organizations) await publish(options, org_id);
  await until(() => organizations.every((org_id) => handled.includes(org_id)));
});

test('an event of a batch consumer that is never done comes again', async () => {
  const seen: string[] = [];
  await connectWith({ maxHandlingMs: 50 });
  const handle = (events: readonly { id: string }[]) =>
    events.map(({ id }) => (seen.push(id) === 1 ? new Promise<void>(() => undefined) : Promise.resolve()));
  const consumer = newName();
  consumeBatches({ name: consumer, types: ['client.created'], handle });
  await put(options, 'events.client.created', [JSON.stringify({ id: 'good', type: 'client.created', org_id: 'org' })]);
  await until(() => seen.length === 2);
  expect(seen).toEqual(['good', 'good']);
});

test('messages of a batch consumer that cannot be read are set aside, and the others are handled', async () => {
  const consumer = newName();
  const seen: string[] = [];
  await connect();
  consumeBatches({ name: consumer, types: ['client.created'], handle: (events) => events.map(async ({ id }) => void seen.push(id)) });
  await put(options, 'events.client.created', [...unreadable, JSON.stringify({ id: 'good', type: 'client.created', org_id: 'org' })]);
  await quiet(options, consumer);
  expect(seen).toEqual(['good']);
  expect(await deadLettersOf(consumer)).toHaveLength(unreadable.length);
});

test('messages of another stream that cannot be read are set aside, and the others are handled', async () => {
  const consumer = newName();
  const seen: string[] = [];
  await connect();
  const name = `${options.stream}_requests`;
  const stream = new FireAndForgetStream(theBus(), { name, subject: 'requests.answered', maxBytes: 1024 ** 2 });
  consumeStream(stream, { name: consumer, concurrency: 1, atLeastOnceHandler: async ({ id }) => void seen.push(id) });
  await put({ ...options, stream: name }, 'requests.answered', [...unreadable, JSON.stringify({ id: 'good', type: 'requests' })]);
  await quiet({ ...options, stream: name }, consumer);
  expect(seen).toEqual(['good']);
  expect(await deadLettersOf(consumer)).toHaveLength(unreadable.length);
  await removeStream(name);
});

test('an event that fails for longer than the retry time is set aside once, and a replay has its effect once', async () => {
  const [bad, good, consumer] = [randomUUID(), randomUUID(), newName()];
  let isMended = false;
  await connect(0);
  consume({
    name: consumer,
    types,
    concurrency: 1,
    transactionalHandler: async (event, session) => {
      if (event.org_id === bad && !isMended) throw new TypeError('a bug');
      await add(event, session);
    },
  });
  await publish(options, bad);
  await publish(options, good);
  await quiet(options, consumer);
  expect([await totalOf(bad), await totalOf(good)]).toEqual([0, 1]);
  const [letter, ...others] = await deadLettersOf(consumer);
  expect(others).toEqual([]);
  expect(letter).toMatchObject({ org_id: bad, type: types[0], attempts: 2, error: 'TypeError: a bug' });
  const id = letter?._id ?? '';
  expect(await replayDeadLetter(id)).toEqual({ outcome: 'failed', reason: 'TypeError: a bug' });
  expect(await deadLettersOf(consumer)).toHaveLength(1);
  isMended = true;
  const replays = await Promise.all(Array.from({ length: 5 }, () => replayDeadLetter(id)));
  expect(replays.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(1);
  expect(await totalOf(bad)).toBe(1);
  expect(await deadLettersOf(consumer)).toEqual([]);
  expect(await replayDeadLetter(id)).toEqual({ outcome: 'unknown' });
});

test('an event that meets an unavailable part is retried for ever and never set aside', async () => {
  const [org_id, consumer] = [randomUUID(), newName()];
  let attempts = 0;
  await connect(0);
  consume({
    name: consumer,
    types,
    transactionalHandler: async (event, session) => {
      if (++attempts < 4) throw new AppError('unavailable');
      await add(event, session);
    },
  });
  await publish(options, org_id);
  await until(async () => (await totalOf(org_id)) === 1);
  expect(await deadLettersOf(consumer)).toEqual([]);
});

test('of one consumer and organization the latest dead letters are kept, others are not displaced', async () => {
  const consumer = newName();
  await connect(0, 3);
  consume({ name: consumer, types, concurrency: 1, transactionalHandler: () => Promise.reject(new Error('fails')) });
  await publish(options, 'quiet');
  await quiet(options, consumer);
  for (let count = 0; count < 5; count++) await publish(options, 'loud');
  await quiet(options, consumer);
  const kept = (await deadLettersOf(consumer)).map(({ org_id }) => org_id);
  expect(kept.toSorted()).toEqual(['loud', 'loud', 'loud', 'quiet']);
});

test('an event of an erased organization that fails ends and leaves no dead letter, and others do', async () => {
  const [erased, other, consumer] = [randomUUID(), randomUUID(), newName()];
  await connect(0);
  consume({ name: consumer, types, concurrency: 1, transactionalHandler: () => Promise.reject(new Error('fails')) });
  await eraseOrganization(erased);
  for (const org_id of [erased, other]) await publish(options, org_id);
  await quiet(options, consumer);
  expect((await deadLettersOf(consumer)).map(({ org_id }) => org_id)).toEqual([other]);
});
