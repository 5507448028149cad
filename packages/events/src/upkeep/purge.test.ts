import { randomUUID } from 'node:crypto';
import { until, useTestStore } from '@webkiln/store/testing';
import type { NatsConnection } from 'nats';
import { theBus } from '../bus.ts';
import { closeEvents, connectEvents } from '../connection.ts';
import { consume } from '../consume/consume.ts';
import { ownStream, publish, quiet, removeStream, withNats } from '../testing/test-stream.ts';
import { progressOf, purgeAcknowledged } from './purge.ts';

useTestStore();

let options = ownStream();
let org: string;

beforeEach(async () => {
  [options, org] = [ownStream(), randomUUID()];
  await connectEvents(process.env.NATS_URL ?? '', 'test', options);
  await until(() => theBus().connection !== undefined);
  await theBus().streams.EVENTS.ensure(theBus().connection as NatsConnection);
});
afterEach(async () => {
  await closeEvents();
  await removeStream(options.stream);
});

const done = async () => undefined;
const start = (
  name: string,
  handler: () => Promise<void> = done,
  type: 'internal.template.deleted' | 'internal.webhook.deleted' = 'internal.template.deleted',
) => consume({ name, types: [type], atLeastOnceHandler: handler });

/** Publishes events with an id each. */
const raise = async (times: number) => {
  for (let time = 0; time < times; time++) await publish(options, org);
};

/** Purges once; returns the sequences that are left, first and last, and how many messages there are. */
const purge = ({ expected, keepMs = 0 }: { expected: string[]; keepMs?: number }) =>
  withNats(async (connection) => {
    const manager = await connection.jetstreamManager();
    const info = await manager.streams.info(options.stream);
    await purgeAcknowledged(manager, info, await progressOf(manager, options.stream, info.state.last_seq), { expected, keepMs });
    const { state } = await manager.streams.info(options.stream);
    return { messages: state.messages, from: state.first_seq };
  });

test('what every durable consumer has acknowledged is deleted, and the stream takes new events', async () => {
  start('one');
  start('other');
  await raise(20);
  for (const consumer of ['one', 'other']) await quiet(options, consumer);
  expect(await purge({ expected: ['one', 'other'] })).toEqual({ messages: 0, from: 21 });
  await raise(3);
  expect((await purge({ expected: ['one', 'other'], keepMs: 60_000 })).messages).toBe(3);
});

test('an event that one consumer has not acknowledged stays, with all later ones', async () => {
  start('one');
  let failing = true;
  let handled = 0;
  start('other', async () => {
    if (handled >= 5 && failing) throw new Error('not now');
    handled++;
  });
  await raise(5);
  for (const consumer of ['one', 'other']) await quiet(options, consumer);
  await raise(5);
  await quiet(options, 'one');
  expect(await purge({ expected: ['one', 'other'] })).toEqual({ messages: 5, from: 6 });
  failing = false;
  await quiet(options, 'other');
  expect(await purge({ expected: ['one', 'other'] })).toEqual({ messages: 0, from: 11 });
});

test('nothing is deleted before every consumer exists: one that starts late gets all events', async () => {
  start('one');
  await raise(5);
  await quiet(options, 'one');
  expect(await purge({ expected: ['one', 'late'] })).toEqual({ messages: 5, from: 1 });
  let handled = 0;
  start('late', async () => void handled++);
  await until(() => handled === 5);
  await quiet(options, 'late');
  expect((await purge({ expected: ['one', 'late'] })).messages).toBe(0);
});

test('a consumer of rare events holds back no others: it waits from its own first event', async () => {
  start('one');
  start('rare', () => Promise.reject(new Error('not now')), 'internal.webhook.deleted');
  await raise(5);
  await publish(options, org, { type: 'internal.webhook.deleted' });
  await raise(5);
  await quiet(options, 'one');
  expect(await purge({ expected: ['one', 'rare'] })).toEqual({ messages: 6, from: 6 });
});

test('acknowledged events stay for the time that is set', async () => {
  start('one');
  await raise(5);
  await quiet(options, 'one');
  expect((await purge({ expected: ['one'], keepMs: 60_000 })).messages).toBe(5);
  expect((await purge({ expected: ['one'] })).messages).toBe(0);
});

test('several processes may purge at once, while events are published', async () => {
  let handled = 0;
  start('one', async () => void handled++);
  const publishing = raise(60);
  let isPublishing = true;
  const purging = Array.from({ length: 3 }, async () => {
    while (isPublishing) await purge({ expected: ['one'], keepMs: 100 });
  });
  await publishing;
  isPublishing = false;
  await Promise.all(purging);
  await until(() => handled === 60);
});
