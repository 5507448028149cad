import { randomUUID } from 'node:crypto';
import { put } from '@webkiln/events/testing';
import { startStandings, suspensionOf } from '@webkiln/standing';
import { scoped } from '@webkiln/store';
import { operationsOn, until } from '@webkiln/store/testing';
import { DeliveryModel } from '../deliveries/delivery-store.ts';
import { sweepHeldBack } from '../deliveries/sweep-held-back.ts';
import { EndpointModel, endpointById } from '../endpoints/endpoint-store.ts';
import { keptDelivery } from '../testing/deliveries.ts';
import { status } from '../testing/receiver.ts';
import { deliveriesOf, endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';

const { receiver, start, publish, stream } = useDispatcher();

const retentionMs = 3600_000;
const sweep = () => sweepHeldBack({ perSecond: 10, retentionMs });
/** Holds back whatever is sent to an endpoint of this organization, or ends that. */
async function decide(organization_id: string, revision: number, isSuspended: boolean): Promise<void> {
  const data = { organization_id, revision, suspended_at: isSuspended ? new Date().toISOString() : null, limits: {} };
  const event = { id: randomUUID(), type: 'internal.organization.changed', timestamp: new Date().toISOString(), org_id: '' };
  await put(stream(), 'internal.organization.changed', [JSON.stringify({ ...event, api_version: 'v1', data })]);
  await until(async () => (await suspensionOf(organization_id)).suspended === isSuspended);
}

beforeEach(() => startStandings('webhooks', {}, sweep));

test('a suspended organization’s endpoints get nothing, others do; resumed, they get all of it, and no attempt was used up', async () => {
  const [held, other] = [await endpointAt(receiver.url('/held')), await endpointAt(receiver.url('/other'))];
  const { org_id } = held;
  start({ retryWaitsMs: [3600_000] });
  receiver.answer = status(500);
  await publish(org_id);
  await until(async () => (await deliveriesOf(org_id))[0]?.attempt_count === 1);
  receiver.reset();
  await decide(org_id, 1, true);
  await scoped(DeliveryModel, { org_id }).updateMany({}, { $set: { due_at: new Date(), expire_at: new Date(Date.now() + 60_000) } });
  await publish(org_id, 3);
  await publish(other.org_id);
  await settled(other.org_id, 1, 'delivered');
  await until(async () => (await settled(org_id, 4, 'pending')).every(({ due_at, claim }) => due_at === null && claim === null));
  expect((await deliveriesOf(org_id)).map(({ attempt_count }) => attempt_count).toSorted()).toEqual([0, 0, 0, 1]);
  expect(receiver.received).toHaveLength(1);
  await decide(org_id, 2, false);
  const delivered = await settled(org_id, 4, 'delivered');
  expect(delivered.map(({ attempt_count }) => attempt_count).toSorted()).toEqual([1, 1, 1, 2]);
  for (const { expire_at } of delivered) expect(expire_at.getTime()).toBeGreaterThan(Date.now() + retentionMs / 2);
  expect(receiver.received).toHaveLength(5);
});

test('a delivery that was held back while its organization was being resumed is sent by the next sweep', async () => {
  const { org_id, _id } = await endpointAt(receiver.url());
  await keptDelivery(org_id, _id, { status: 'pending', due_at: null });
  start();
  await sweep();
  await settled(org_id, 1, 'delivered');
});

test('a sweep reads no delivery of an organization that is still suspended', async () => {
  const { org_id, _id } = await endpointAt(receiver.url());
  await decide(org_id, 1, true);
  for (let count = 0; count < 20; count++) await keptDelivery(org_id, _id, { status: 'pending', due_at: null });
  const operations = await operationsOn('deliveries', sweep);
  expect(operations).toMatchObject([{ planSummary: expect.stringMatching(/^DISTINCT_SCAN/), docsExamined: 0 }]);
});

test('held deliveries become due at the pace of a replay, oldest first', async () => {
  const { org_id, _id } = await endpointAt(receiver.url());
  const created = Array.from({ length: 25 }, (_, at) => new Date(Date.now() - 3600_000 + at).toISOString());
  await Promise.all(created.toReversed().map((created_at) => keptDelivery(org_id, _id, { status: 'pending', due_at: null, created_at })));
  await sweep();
  const found = await deliveriesOf(org_id);
  const dueMs = found.toSorted((a, b) => a.created_at.localeCompare(b.created_at)).map(({ due_at }) => due_at?.getTime() ?? Number.NaN);
  const first = dueMs[0] ?? Number.NaN;
  expect(dueMs.map((ms) => ms - first)).toEqual([...Array(10).fill(0), ...Array(10).fill(1_000), ...Array(5).fill(2_000)]);
});

test('the days of a suspension do not disable an endpoint that failed before', async () => {
  const failing_since = new Date(Date.now() - 6 * 24 * 3600_000);
  const endpoint = await endpointAt(receiver.url(), undefined, { failing_since });
  receiver.answer = status(500);
  await keptDelivery(endpoint.org_id, endpoint._id, { status: 'pending', due_at: null });
  start({ disableAfterMs: 5 * 24 * 3600_000, retryWaitsMs: [] });
  await sweep();
  await settled(endpoint.org_id, 1, 'failed');
  await until(async () => (await endpointById(endpoint, endpoint._id))?.failing_since !== null);
  expect(await scoped(EndpointModel, endpoint).count({ is_active: true })).toBe(1);
});
