import { randomUUID } from 'node:crypto';
import { scoped } from '@webkiln/store';
import { until } from '@webkiln/store/testing';
import { DeliveryModel } from '../deliveries/delivery-store.ts';
import { idsOf } from '../testing/receiver.ts';
import { endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';

const { receiver, start, publish, allAcknowledged } = useDispatcher();

const hang = () => undefined;
/** More attempts than a busy machine can make time out. */
const manyRetries = (waitMs: number) => Array.from({ length: 50 }, () => waitMs);
const pending = (org_id: string) => scoped(DeliveryModel, { org_id }).count({ status: 'pending' });

test('a hanging endpoint blocks no other: all their events arrive, and the stream is drained', async () => {
  receiver.answers.set('/hangs', hang);
  const hanging = await endpointAt(receiver.url('/hangs'));
  const other = await endpointAt(receiver.url('/works'));
  start({ timeoutMs: 600_000, endpointConcurrency: 4 });
  await publish(hanging.org_id, 300);
  const ids = await publish(other.org_id, 300);
  await settled(other.org_id, 300, 'delivered');
  await allAcknowledged();
  expect(idsOf(receiver.at('/works')).toSorted()).toEqual(ids.toSorted());
  // The hanging endpoint's deliveries wait in the store, with at most its concurrency in flight.
  expect(await pending(hanging.org_id)).toBe(300);
  expect(receiver.at('/hangs')).toHaveLength(4);
});

test('deferred deliveries arrive when a hanging endpoint recovers', async () => {
  receiver.answers.set('/hangs', hang);
  const { org_id } = await endpointAt(receiver.url('/hangs'));
  start({ timeoutMs: 700, retryWaitsMs: manyRetries(200) });
  const ids = await publish(org_id, 60);
  await until(() => receiver.at('/hangs').length >= 4);
  receiver.answers.clear();
  await settled(org_id, 60, 'delivered');
  expect(new Set(idsOf(receiver.at('/hangs')))).toEqual(new Set(ids));
});

test('any number of hanging endpoints leaves slots for the others', async () => {
  receiver.answers.set('/hangs', hang);
  const hanging = await Promise.all(Array.from({ length: 12 }, () => endpointAt(receiver.url('/hangs'))));
  const other = await endpointAt(receiver.url('/works'));
  // The slots of four endpoints are all slots of the process.
  start({ timeoutMs: 2_000, endpointConcurrency: 4, concurrency: 16, retryWaitsMs: manyRetries(10) });
  for (const { org_id } of hanging) await publish(org_id, 10);
  await publish(other.org_id, 50);
  await settled(other.org_id, 50, 'delivered');
});

test("one organization's hanging endpoints leave slots for other organizations, at the same host too", async () => {
  receiver.answers.set('/hangs', hang);
  const org = randomUUID();
  const hanging = await Promise.all(Array.from({ length: 12 }, () => endpointAt(receiver.url('/hangs'), org)));
  const other = await endpointAt(receiver.url('/works'));
  // Nothing times out: without the bound the first four hanging endpoints take all slots for good.
  start({ timeoutMs: 600_000, endpointConcurrency: 4, organizationConcurrency: 8, concurrency: 16 });
  await publish(org, 10);
  const ids = await publish(other.org_id, 50);
  await settled(other.org_id, 50, 'delivered');
  await allAcknowledged();
  expect(idsOf(receiver.at('/works')).toSorted()).toEqual(ids.toSorted());
  expect(receiver.at('/hangs')).toHaveLength(8);
  expect(await pending(org)).toBe(10 * hanging.length);
});

test('endpoints at one hanging host leave slots for those at other hosts, whoever they belong to', async () => {
  receiver.answers.set('/hangs', hang);
  const hanging = await Promise.all(Array.from({ length: 12 }, () => endpointAt(receiver.url('/hangs'))));
  const other = await endpointAt(receiver.url('/works').replace('127.0.0.1', '127.0.0.2'));
  start({ timeoutMs: 600_000, endpointConcurrency: 4, hostConcurrency: 8, concurrency: 16 });
  for (const { org_id } of hanging) await publish(org_id, 10);
  await publish(other.org_id, 50);
  await settled(other.org_id, 50, 'delivered');
  expect(receiver.at('/hangs')).toHaveLength(8);
});

test('all deliveries of an organization with more endpoints than slots arrive', async () => {
  const org = randomUUID();
  const endpoints = await Promise.all(Array.from({ length: 12 }, () => endpointAt(receiver.url('/works'), org)));
  start({ endpointConcurrency: 4, organizationConcurrency: 3, hostConcurrency: 2 });
  await publish(org, 40);
  await settled(org, 40 * endpoints.length, 'delivered');
});
