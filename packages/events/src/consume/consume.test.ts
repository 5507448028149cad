import { randomUUID } from 'node:crypto';
import { until, useTestStore } from '@webkiln/store/testing';
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

test('an event that stands on the stream three times takes effect once', async () => {
  const [org_id, consumer] = [randomUUID(), name()];
  consume({ name: consumer, types, effect: add });
  await publish(options, org_id, { times: 3 });
  await quiet(options, consumer);
  expect(await totalOf(org_id)).toBe(1);
});

test('each consumer has its own effect of an event, at once and once', async () => {
  const [org_id, one, other] = [randomUUID(), name(), name()];
  for (const consumer of [one, other]) consume({ name: consumer, types, effect: add });
  await publish(options, org_id);
  await quiet(options, one);
  await quiet(options, other);
  expect(await totalOf(org_id)).toBe(2);
});

test('an effect that fails leaves nothing behind, comes again, and does not hold up other events', async () => {
  const [bad, good, consumer] = [randomUUID(), randomUUID(), name()];
  let failures = 0;
  consume({
    name: consumer,
    types,
    effect: async (event, session) => {
      await add(event, session);
      if (event.org_id === bad && ++failures < 4) throw new Error('fails three times');
    },
  });
  await publish(options, bad);
  await publish(options, good);
  await until(async () => (await totalOf(good)) === 1);
  await quiet(options, consumer);
  expect([await totalOf(bad), await totalOf(good)]).toEqual([1, 1]);
  expect(failures).toBeGreaterThanOrEqual(4); // more where MongoDB had the last effect begin again
});

test('a consumer that is given further types hears those too, and the others no second time', async () => {
  const [org_id, consumer] = [randomUUID(), name()];
  consume({ name: consumer, types, effect: add });
  await publish(options, org_id);
  await quiet(options, consumer);
  await closeEvents();
  await publish(options, org_id, { type: 'internal.project.deleted' });
  await connectEvents(process.env.NATS_URL ?? '', 'test', options);
  consume({ name: consumer, types: [...types, 'internal.project.deleted'], effect: add });
  await until(async () => (await totalOf(org_id)) === 2);
  await quiet(options, consumer);
  expect(await totalOf(org_id)).toBe(2);
});

test('closing waits for the effects in hand', async () => {
  const [org_id, consumer] = [randomUUID(), name()];
  let begun = false;
  consume({
    name: consumer,
    types,
    effect: async (event, session) => {
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
