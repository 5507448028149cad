import { randomUUID } from 'node:crypto';
import { until, useTestStore } from '@webkiln/store/testing';
import { closeEvents, connectEvents } from '../connection.ts';
import { add, totalOf } from '../testing/tallies.ts';
import { ownStream, publish, quiet, removeStream } from '../testing/template-records.ts';
import { consume } from './consume.ts';

useTestStore();

let options: ReturnType<typeof ownStream>;
const types = ['internal.template.deleted'] as const;

beforeEach(async () => {
  options = ownStream();
  await connectEvents(process.env.NATS_URL ?? '', 'test', options);
});
afterEach(async () => {
  await closeEvents();
  await removeStream(options.stream);
});

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
