import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { until, useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { closeEvents, connectEvents } from './connection.ts';
import { consume } from './consume.ts';
import { add, totalOf } from './tallies.ts';
import { ownStream, publish, quiet, removeStream } from './testing.ts';

useTestStore();

let options: ReturnType<typeof ownStream>;
const name = () => `test-${randomUUID()}`;
const types = ['internal.template.deleted'] as const;

beforeEach(async () => {
  options = ownStream();
  await connectEvents(process.env.NATS_URL ?? '', 'test', options);
});
afterEach(async () => {
  await closeEvents();
  await removeStream(options.stream);
});

test('an event whose process was killed in the middle of its effect takes effect once, in another process', async () => {
  const [org_id, consumer] = [randomUUID(), name()];
  const { stream, subjectPrefix } = options;
  const where = { DATABASE: mongoose.connection.name, STREAM: stream, SUBJECT_PREFIX: subjectPrefix, CONSUMER: consumer };
  const dying = spawn(process.execPath, [require.resolve('./dying-consumer.ts')], {
    env: { ...process.env, ...where },
    stdio: 'ignore',
  });
  await publish(options, org_id);
  expect(await once(dying, 'exit')).toEqual([null, 'SIGKILL']);
  expect(await totalOf(org_id)).toBe(0);
  consume({ name: consumer, types, ackWaitMs: 1_000, effect: add });
  await quiet(options, consumer, 20_000); // MongoDB gives the dead process's transaction up after 5 s, as infra sets it
  expect(await totalOf(org_id)).toBe(1);
});

test('an effect that takes longer than the ack wait is not run beside itself', async () => {
  const [org_id, consumer] = [randomUUID(), name()];
  let runs = 0;
  consume({
    name: consumer,
    types,
    ackWaitMs: 600,
    effect: async (event, session) => {
      runs++;
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      await add(event, session);
    },
  });
  await publish(options, org_id);
  await until(async () => (await totalOf(org_id)) === 1);
  await quiet(options, consumer);
  expect(runs).toBe(1);
});
