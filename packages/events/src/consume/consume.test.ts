import { randomUUID } from 'node:crypto';
import { until, useTestStore } from '@webkiln/store/testing';
import { closeEvents, connectEvents } from '../connection.ts';
import { add, totalOf } from '../testing/tallies.ts';
import { ownStream, publish, quiet, removeStream } from '../testing/template-records.ts';
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
