import { randomUUID } from 'node:crypto';
import { operationsOn, useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { claimedUntil, keptDelivery } from '../testing/deliveries.ts';
import { deliveryId } from './delivery.ts';
import { endpointsDue, nextDue, pendingCount } from './delivery-store.ts';

useTestStore();

const inMs = (ms: number) => new Date(Date.now() + ms);
const hourMs = 3600_000;
const busy = { org_id: randomUUID(), endpoint: randomUUID() };
const quiet = { org_id: randomUUID(), endpoint: randomUUID() };
const resting = { org_id: randomUUID(), endpoint: randomUUID() };
const oldest = inMs(-hourMs);
const next = inMs(hourMs);

beforeAll(async () => {
  const keep = ({ org_id, endpoint }: typeof busy, due_at: Date) => keptDelivery(org_id, endpoint, { status: 'pending', due_at });
  await keep(busy, oldest);
  for (let index = 0; index < 99; index++) await keep(busy, inMs(-1_000));
  await keep(quiet, inMs(-1_000));
  for (let index = 0; index < 50; index++) await keep(resting, new Date(next.getTime() + index));
  for (let index = 0; index < 50; index++) await keptDelivery(quiet.org_id, quiet.endpoint);
});

test('endpoints with due deliveries are found from an index alone, scanning keys per endpoint, not per delivery', async () => {
  const [operation] = await operationsOn('deliveries', async () => {
    const found = await endpointsDue(new Date());
    const wanted = [busy, quiet].map(({ org_id, endpoint }) => ({ org_id, key: endpoint }));
    expect(found.toSorted((a, b) => a.key.localeCompare(b.key))).toEqual(wanted.toSorted((a, b) => a.key.localeCompare(b.key)));
  });
  expect(operation?.planSummary).toMatch(/^DISTINCT_SCAN/);
  expect(operation?.docsExamined).toBe(0);
  expect(operation?.keysExamined).toBeLessThanOrEqual(6);
});

test('the next due time is the first key of an index', async () => {
  const operations = await operationsOn('deliveries', async () => {
    expect(await nextDue()).toEqual(oldest);
    expect(await nextDue(new Date())).toEqual(next);
  });
  expect(operations.map(({ keysExamined, docsExamined }) => [keysExamined, docsExamined])).toEqual([
    [1, 0],
    [1, 0],
  ]);
});

test('pending deliveries are counted from an index, up to a bound', async () => {
  const [operation] = await operationsOn('deliveries', async () => expect(await pendingCount(1_000)).toBe(151));
  expect(operation?.docsExamined).toBe(0);
  expect(await pendingCount(10)).toBe(10);
});

test('a claim reads and changes only what it claims, longest overdue first', async () => {
  const operations = await operationsOn('deliveries', async () => {
    const claimed = await claimedUntil(busy, busy.endpoint, 5, new Date(), inMs(hourMs));
    expect(claimed).toHaveLength(5);
    expect(await nextDue()).not.toEqual(oldest);
  });
  for (const { docsExamined } of operations) expect(docsExamined).toBeLessThanOrEqual(5);
});

test('a claim never covers another organization', async () => {
  expect(await claimedUntil(quiet, busy.endpoint, 5, new Date(), inMs(hourMs))).toEqual([]);
});

test('MongoDB deletes expired deliveries', async () => {
  const indexes = await mongoose.connection.collection('deliveries').indexes();
  expect(indexes).toContainEqual(expect.objectContaining({ key: { expire_at: 1 }, expireAfterSeconds: 0 }));
});

test('the id of a delivery is a UUID derived from its event and endpoint', () => {
  const [event, other, endpoint] = [randomUUID(), randomUUID(), randomUUID()];
  const ids = [deliveryId(event, endpoint), deliveryId(other, endpoint), deliveryId(event, other)];
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(deliveryId(event, endpoint)).toBe(ids[0]);
});
