import { randomUUID } from 'node:crypto';
import { Postponed } from '@webkiln/runtime';
import { until, useTestStore } from '@webkiln/store/testing';
import { closeEvents } from '../connection.ts';
import { publish, quiet, useOwnStream } from '../testing/template-records.ts';
import { consume } from './consume.ts';
import { OrganizationSlots } from './organization-slots.ts';

useTestStore();

const options = useOwnStream();
const types = ['internal.template.deleted'] as const;
/** More than a process keeps in memory. */
const many = 1_200;
const timeoutMs = 60_000;
jest.setTimeout(2 * timeoutMs);

/** Creates the stream, by a consumer of another name. */
async function createStream(): Promise<void> {
  const name = `test-${randomUUID()}`;
  consume({ name, types, atLeastOnceHandler: async () => undefined });
  await quiet(options, name);
}

test('an organization that holds its handlers delays no other, whatever waits of it on the stream', async () => {
  const [name, hostile, other] = [`test-${randomUUID()}`, randomUUID(), randomUUID()];
  await createStream();
  await publish(options, hostile, { times: many });
  await publish(options, other);
  const released = Promise.withResolvers<void>();
  const begun: string[] = [];
  const atLeastOnceHandler = async ({ org_id }: { org_id: string }) => {
    begun.push(org_id);
    if (org_id === hostile) await released.promise;
  };
  consume({ name, types, concurrency: 4, perOrganization: 2, atLeastOnceHandler });
  await until(() => begun.includes(other), timeoutMs);
  expect(begun.filter((org_id) => org_id === hostile).length).toBeLessThanOrEqual(2);
  // Closing waits for those that have begun alone.
  const closed = closeEvents();
  released.resolve();
  await closed;
  expect(begun.filter((org_id) => org_id === hostile).length).toBeLessThanOrEqual(2);
});

test('an event that its consumer does not admit ends without waiting for a slot of its organization', async () => {
  const [name, org_id] = [`test-${randomUUID()}`, randomUUID()];
  await createStream();
  const released = Promise.withResolvers<void>();
  let [begun, refused, isFull] = [0, 0, false];
  consume({
    name,
    types,
    concurrency: 4,
    perOrganization: 1,
    admits: async () => {
      if (isFull) refused++;
      return !isFull;
    },
    atLeastOnceHandler: async () => {
      begun++;
      await released.promise;
    },
  });
  await publish(options, org_id);
  await until(() => begun === 1, timeoutMs);
  isFull = true;
  await publish(options, org_id, { times: many });
  // None of them can begin: the handler of their organization is held.
  await until(() => refused >= many, timeoutMs);
  released.resolve();
  await quiet(options, name, timeoutMs, types[0]);
  expect(begun).toBe(1);
});

test('an event that is admitted while its process stops is left to another process', async () => {
  const [name, org_id] = [`test-${randomUUID()}`, randomUUID()];
  await createStream();
  await publish(options, org_id);
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
  let begun = 0;
  const admits = async () => {
    asked.resolve();
    return answered.promise;
  };
  consume({ name, types, concurrency: 4, perOrganization: 2, admits, atLeastOnceHandler: async () => void begun++ });
  await asked.promise;
  const closed = closeEvents();
  answered.resolve(true);
  await closed;
  expect(begun).toBe(0);
});

test('long messages of an organization wait in memory up to a bound, then on the stream, longer each time; others find room', async () => {
  const slots = new OrganizationSlots({ concurrency: 1, perOrganization: 1 });
  const held = Promise.withResolvers<void>();
  const run = (org_id: string, deliveries = 1) =>
    slots
      .run({ org_id, length: 600_000, deliveries }, () => held.promise)
      .catch((error) => (error instanceof Postponed ? error.delayMs : error));
  const running = run('long');
  const waiting = [run('long'), run('other')];
  expect([await run('long'), await run('long', 3), await run('long', 50)]).toEqual([500, 2_000, 15_000]);
  slots.sendBackWaiting();
  expect(await Promise.all(waiting)).toEqual([500, 500]);
  const again = run('long');
  held.resolve();
  expect(await Promise.all([running, again])).toEqual([undefined, undefined]);
});
