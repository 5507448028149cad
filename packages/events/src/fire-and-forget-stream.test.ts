import { randomUUID } from 'node:crypto';
import { until, useTestStore } from '@webkiln/store/testing';
import { findBus, theBus } from './bus.ts';
import { closeEvents, connectEvents } from './connection.ts';
import { consumeStream } from './consume.ts';
import { LossyStream } from './lossy-stream.ts';
import { add, totalOf } from './tallies.ts';
import { messagesOn, ownStream, quiet, removeStream, withNats } from './testing.ts';

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

const stream = () => new LossyStream<Tally>(theBus(), { name: options.stream, subject, maxBytes });
const tally = (more: Partial<Tally> = {}): Tally => ({ id: randomUUID(), type: 'tally', org_id: randomUUID(), ...more });

test('when it is full the oldest go, and it goes on taking', async () => {
  const lossy = stream();
  const text = 'x'.repeat(10_000);
  for (const type of ['first', ...Array.from({ length: 9 }, () => text), 'last']) await lossy.publish(tally({ type }));
  const { state } = await withNats(async (connection) => (await connection.jetstreamManager()).streams.info(options.stream));
  expect(state.last_seq).toBe(11);
  expect(state.first_seq).toBeGreaterThan(1);
  expect(state.bytes).toBeLessThanOrEqual(maxBytes);
});

test('what is published again stands there once', async () => {
  const [lossy, message] = [stream(), tally()];
  await lossy.publish(message);
  await lossy.publish(message);
  expect(await messagesOn(options.stream)).toHaveLength(1);
});

test('with NATS away nothing is taken, and a stream that was lost is made anew', async () => {
  const lossy = stream();
  await lossy.publish(tally());
  await removeStream(options.stream);
  await expect(lossy.publish(tally())).rejects.toThrow();
  await lossy.publish(tally());
  expect(await messagesOn(options.stream)).toHaveLength(1);
  await closeEvents();
  await expect(lossy.publish(tally())).rejects.toThrow();
});

test('a message that stands there twice has its effect once', async () => {
  const [lossy, message] = [stream(), tally()];
  await lossy.publish(message);
  await withNats((connection) => connection.jetstream().publish(`${options.subjectPrefix}${subject}`, JSON.stringify(message)));
  consumeStream(lossy, { name: 'tallies', effect: add });
  await quiet(options, 'tallies');
  expect([(await messagesOn(options.stream)).length, await totalOf(message.org_id)]).toEqual([2, 1]);
});
