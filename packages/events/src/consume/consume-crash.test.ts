import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { until, useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { findBus } from '../bus.ts';
import { closeEvents, connectEvents } from '../connection.ts';
import { add, totalOf } from '../testing/tallies.ts';
import { ownStream, publish, quiet, removeStream, signsOfWork } from '../testing/template-records.ts';
import { consume } from './consume.ts';

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

test('an event whose process is killed during the handler takes effect once, in another process', async () => {
  const [org_id, consumer] = [randomUUID(), name()];
  const { stream, subjectPrefix } = options;
  const where = { DATABASE: mongoose.connection.name, STREAM: stream, SUBJECT_PREFIX: subjectPrefix, CONSUMER: consumer };
  const dying = spawn(process.execPath, [require.resolve('../testing/dying-consumer.ts')], {
    env: { ...process.env, ...where },
    stdio: 'ignore',
  });
  const died = once(dying, 'exit');
  await publish(options, org_id);
  expect(await died).toEqual([null, 'SIGKILL']);
  expect(await totalOf(org_id)).toBe(0);
  consume({ name: consumer, types, ackWaitMs: 1_000, transactionalHandler: add });
  await quiet(options, consumer); // MongoDB aborts the dead process's transaction after 5 s, as set by tools/dev-platform
  expect(await totalOf(org_id)).toBe(1);
});

test('a handler that takes longer than the ack wait extends it each time and takes effect once', async () => {
  const [org_id, consumer] = [randomUUID(), name()];
  const ackWaitMs = 600;
  await until(() => findBus()?.connection !== undefined);
  const signs = signsOfWork(options.stream, consumer);
  const ended = Promise.withResolvers<void>();
  consume({
    name: consumer,
    types,
    ackWaitMs,
    transactionalHandler: async (event, session) => {
      await ended.promise;
      await add(event, session);
    },
  });
  await publish(options, org_id);
  await signs.inEachOf(4, ackWaitMs);
  ended.resolve();
  await until(async () => (await totalOf(org_id)) === 1);
  await quiet(options, consumer);
  expect(await totalOf(org_id)).toBe(1);
});
