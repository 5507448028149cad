import { randomUUID } from 'node:crypto';
import { until, useTestStore } from '@webkiln/store/testing';
import { findBus, theBus } from './bus.ts';
import { closeEvents, connectEvents } from './connection.ts';
import { consumeStream } from './consume/consume.ts';
import { FireAndForgetStream } from './fire-and-forget-stream.ts';
import { add, totalOf } from './testing/tallies.ts';
import { messagesOn, ownStream, quiet, removeStream, withNats } from './testing/template-records.ts';

interface Tally {
  readonly id: string;
  readonly type: string;
  readonly org_id: string;
}

useTestStore();

const maxBytes = 64 * 1024;
const subject = 'tallies';
let options: ReturnType<typeof ownStream>;
beforeEach(async () => {
  options = ownStream();
  await connectEvents(process.env.NATS_URL ?? '', 'test', options);
  await until(() => findBus()?.connection !== undefined);
});
afterEach(async () => {
  await closeEvents();
  await removeStream(options.stream);
});

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
