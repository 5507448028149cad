import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { EventType } from '@webkiln/messages';
import { until, useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import type { StreamConfig } from 'nats';
import { findBus } from '../bus.ts';
import { closeEvents, connectEvents } from '../connection.ts';
import { PersistentStream } from '../persistent-stream.ts';
import { add, totalOf } from '../testing/tallies.ts';
import { ownStream, publish, quiet, removeStream, signsOfWork, useOwnStream, withNats } from '../testing/template-records.ts';
import { consume } from './consume.ts';

useTestStore();

const name = () => `test-${randomUUID()}`;
const types = ['internal.template.deleted'] as const;

describe('consume', () => {
  const options = useOwnStream();

  test('an event that is on the stream three times takes effect once', async () => {
    const [org_id, consumer] = [randomUUID(), name()];
    consume({ name: consumer, types, transactionalHandler: add });
    await publish(options, org_id, { times: 3 });
    await quiet(options, consumer);
    expect(await totalOf(org_id)).toBe(1);
  });

  test('each consumer handles an event once, at the same time', async () => {
    const [org_id, one, other] = [randomUUID(), name(), name()];
    for (const consumer of [one, other]) consume({ name: consumer, types, transactionalHandler: add });
    await publish(options, org_id);
    await quiet(options, one);
    await quiet(options, other);
    expect(await totalOf(org_id)).toBe(2);
  });

  test('a failed handler leaves nothing behind, is retried, and does not block other events', async () => {
    const [bad, good, consumer] = [randomUUID(), randomUUID(), name()];
    let failures = 0;
    consume({
      name: consumer,
      types,
      transactionalHandler: async (event, session) => {
        await add(event, session);
        if (event.org_id === bad && ++failures < 4) throw new Error('fails three times');
      },
    });
    await publish(options, bad);
    await publish(options, good);
    await until(async () => (await totalOf(good)) === 1);
    await quiet(options, consumer);
    expect([await totalOf(bad), await totalOf(good)]).toEqual([1, 1]);
    expect(failures).toBeGreaterThanOrEqual(4); // more if MongoDB restarted the last transaction
  });

  test('a consumer with added types receives them, and no earlier event a second time', async () => {
    const [org_id, consumer] = [randomUUID(), name()];
    consume({ name: consumer, types, transactionalHandler: add });
    await publish(options, org_id);
    await quiet(options, consumer);
    await closeEvents();
    await publish(options, org_id, { type: 'internal.project.deleted' });
    await connectEvents(process.env.NATS_URL ?? '', 'test', options);
    consume({ name: consumer, types: [...types, 'internal.project.deleted'], transactionalHandler: add });
    await until(async () => (await totalOf(org_id)) === 2);
    await quiet(options, consumer);
    expect(await totalOf(org_id)).toBe(2);
  });

  test('closing waits for running handlers', async () => {
    const [org_id, consumer] = [randomUUID(), name()];
    let begun = false;
    consume({
      name: consumer,
      types,
      transactionalHandler: async (event, session) => {
        begun = true;
        await new Promise((resolve) => setTimeout(resolve, 300));
        await add(event, session);
      },
    });
    await publish(options, org_id);
    await until(() => begun);
    await closeEvents();
    expect(await totalOf(org_id)).toBe(1);
  });
});

describe('a transactional batch', () => {
  const options = useOwnStream();

  test('events that wait are handled together, each once, though one of them always fails', async () => {
    const [consumer, bad] = [`test-${randomUUID()}`, randomUUID()];
    const good = Array.from({ length: 40 }, () => randomUUID());
    const published = Promise.withResolvers<void>();
    const sizes: number[] = [];
    let isMended = false;
    consume({
      name: consumer,
      types,
      concurrency: 16,
      transactionalBatchHandler: async (events, session) => {
        await published.promise;
        sizes.push(events.length);
        for (const event of events) {
          await add(event, session);
          if (event.org_id === bad && !isMended) throw new Error('cannot be handled yet');
        }
      },
    });
    for (const org_id of [...good.slice(0, 20), bad, ...good.slice(20)]) await publish(options, org_id, { times: 2 });
    published.resolve();
    await until(async () => (await Promise.all(good.map(totalOf))).every((total) => total === 1));
    expect(await totalOf(bad)).toBe(0);
    isMended = true;
    await until(async () => (await totalOf(bad)) === 1);
    await quiet(options, consumer);
    expect(await Promise.all([bad, ...good].map(totalOf))).toEqual(Array(41).fill(1));
    expect([Math.max(...sizes) > 1, Math.max(...sizes) <= 16]).toEqual([true, true]);
  });

  test('an event that does not concern a consumer is done without its handler and without a record', async () => {
    const [consumer, ours, others] = [`test-${randomUUID()}`, randomUUID(), randomUUID()];
    consume({ name: consumer, types, concerns: ({ org_id }) => org_id === ours, transactionalHandler: add });
    await publish(options, others);
    await publish(options, ours);
    await until(async () => (await totalOf(ours)) === 1);
    await quiet(options, consumer);
    expect(await totalOf(others)).toBe(0);
  });
});

describe('a crash', () => {
  const options = useOwnStream();

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
});

describe('a durable consumer', () => {
  const before = types;
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
});
