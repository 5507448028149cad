import { randomUUID } from 'node:crypto';
import type { EventType } from '@webkiln/messages';
import { until, useTestStore } from '@webkiln/store/testing';
import type { StreamConfig } from 'nats';
import { closeEvents, connectEvents } from '../connection.ts';
import { PersistentStream } from '../persistent-stream.ts';
import { ownStream, publish, removeStream, withNats } from '../testing/template-records.ts';
import { consume } from './consume.ts';

useTestStore();

const before = ['internal.template.deleted'] as const;
const now = [...before, 'internal.project.deleted'] as const;
const options = ownStream();
const consumer = `test-${randomUUID()}`;
const handled: string[] = [];

/** Becomes a process that handles these types, instead of the one before. */
async function becomeProcessWith(types: readonly EventType[]): Promise<void> {
  await closeEvents();
  handled.length = 0;
  await connectEvents(process.env.NATS_URL ?? '', 'test', options);
  consume({ name: consumer, types, atLeastOnceHandler: async ({ type }) => void handled.push(type) });
}

const config = () =>
  withNats(async (connection) => {
    const { consumers } = await connection.jetstreamManager();
    return (await consumers.info(options.stream, consumer)).config;
  });
const subjects = async () => (await config().catch(() => undefined))?.filter_subjects?.length ?? 0;

afterAll(async () => {
  await closeEvents();
  await removeStream(options.stream);
});

test('a process of the release before narrows no consumer, and leaves the events of an added type to newer processes', async () => {
  await becomeProcessWith(before);
  await publish(options, randomUUID());
  await until(() => handled.length === 1);
  await becomeProcessWith(now);
  await until(async () => (await subjects()) === 2);
  await becomeProcessWith(before);
  await publish(options, randomUUID(), { type: 'internal.project.deleted' });
  await publish(options, randomUUID());
  await until(() => handled.length === 1);
  expect(handled).toEqual(['internal.template.deleted']);
  expect(await subjects()).toBe(2);
  await becomeProcessWith(now);
  await until(() => handled.length === 1);
  expect(handled).toEqual(['internal.project.deleted']);
});

test('a process of the release before applies its settings to a stream, and keeps the subjects that a newer one added', async () => {
  const name = `${options.stream}_versions`;
  const subject = (last: string) => `${options.subjectPrefix}versions.${last}`;
  const ensure = (lasts: readonly string[], max_bytes: number) =>
    withNats((connection) => new PersistentStream(name, lasts.map(subject), { max_bytes, num_replicas: 1 }).ensure(connection));
  await ensure(['a'], 4096);
  await ensure(['a', 'b'], 4096);
  await ensure(['a'], 8192);
  const stored: StreamConfig = await withNats(async (connection) => {
    const { streams } = await connection.jetstreamManager();
    return (await streams.info(name)).config;
  });
  expect([stored.subjects.toSorted(), stored.max_bytes]).toEqual([['a', 'b'].map(subject), 8192]);
});
