import { randomUUID } from 'node:crypto';
import { logger } from '@webkiln/runtime';
import { scoped } from '@webkiln/store';
import { until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { addDelivery, DeliveryModel, saveOutcome } from '../deliveries/delivery-store.ts';
import { keptDelivery } from '../testing/deliveries.ts';
import { deliveriesOf, endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';
import { newDelivery } from './attempts/first-attempt.ts';
import { type Claim, InFlight } from './attempts/in-flight.ts';

const { receiver, start, publish } = useDispatcher();

const hang = () => undefined;
const never = new Promise<never>(() => undefined);
const hour = 3600_000;
const due = () => ({ status: 'pending' as const, due_at: new Date(Date.now() - 1000) });
const released = (org_id: string) => scoped(DeliveryModel, { org_id }).count({ status: 'pending', claim: null });

type Write = { updateOne?: { update: { $set: Record<string, unknown> } } };

/** Fails the first `times` bulk writes with an update that `concerns` picks; returns how many have failed. */
function failWrites(times: number, concerns: (set: Record<string, unknown>) => boolean): () => number {
  const { bulkWrite } = mongoose.mongo.Collection.prototype;
  let failed = 0;
  jest.spyOn(mongoose.mongo.Collection.prototype, 'bulkWrite').mockImplementation(function (this: unknown, ...batch) {
    const writes = batch[0] as unknown as Write[];
    if (failed >= times || !writes.some(({ updateOne }) => updateOne !== undefined && concerns(updateOne.update.$set)))
      return bulkWrite.apply(this, batch);
    failed++;
    return Promise.reject(new Error('the write is lost'));
  });
  return () => failed;
}

/** A claim of a delivery that is stored once `store` has been called. */
function deferral() {
  const [endpoint, claim] = [{ org_id: randomUUID(), _id: randomUUID() }, randomUUID()];
  const { promise: stored, resolve } = Promise.withResolvers<void>();
  const event = { id: randomUUID(), type: 'client.created', org_id: endpoint.org_id, json: '{}', redelivered: false } as const;
  const delivery = { ...newDelivery(event, endpoint._id, hour), body: '{}', claim, due_at: new Date(Date.now() + hour) };
  const store = async () => {
    await addDelivery(endpoint, delivery);
    resolve();
  };
  const held: Claim = { tenant: endpoint, deliveryId: delivery._id, claim, expiresAt: Date.now() + hour, stored };
  return { held, store, org_id: endpoint.org_id };
}

afterEach(() => jest.restoreAllMocks());

test('a stop releases its claims while a poll of the store hangs', async () => {
  const { org_id } = await endpointAt(receiver.url());
  receiver.answer = hang;
  const stop = start({ timeoutMs: hour });
  await publish(org_id, 3);
  await until(() => receiver.received.length === 3);
  await until(async () => (await deliveriesOf(org_id)).length === 3);
  const { find } = mongoose.mongo.Collection.prototype;
  let polls = 0;
  const hung = Promise.withResolvers<[]>();
  jest.spyOn(mongoose.mongo.Collection.prototype, 'find').mockImplementation(function (this: unknown, ...query: unknown[]) {
    const isPoll = (query[1] as { limit?: number }).limit === 1;
    if (isPoll) polls++;
    return isPoll ? { toArray: () => hung.promise } : find.apply(this, query as never);
  } as never);
  await until(() => polls > 0);
  // A poll that hangs is given up after 30 s, with an error in the log.
  const givenUp = jest.spyOn(logger, 'error');
  await stop();
  expect(givenUp).not.toHaveBeenCalled();
  hung.resolve([]);
  jest.restoreAllMocks();
  expect(await released(org_id)).toBe(3);
});

test('a release that fails is made again', async () => {
  const { org_id } = await endpointAt(receiver.url());
  receiver.answer = hang;
  const stop = start({ timeoutMs: hour });
  await publish(org_id, 3);
  await until(() => receiver.received.length === 3);
  const failed = failWrites(2, ({ claim }) => claim === null);
  await stop();
  expect(failed()).toBe(2);
  expect(await released(org_id)).toBe(3);
});

test('a delivery that is stored after the drain is released too, as is one that is claimed then', async () => {
  const inFlight = new InFlight();
  const [early, late] = [deferral(), deferral()];
  inFlight.addClaim(early.held);
  inFlight.track(never);
  const claiming = Promise.withResolvers<void>();
  inFlight.trackClaiming(claiming.promise);
  const drained = inFlight.drain({ workMs: 0, releaseMs: hour, endMs: 2 * hour });
  // A write takes longer than this drain.
  await late.store();
  inFlight.addClaim(late.held);
  claiming.resolve();
  await early.store();
  await drained;
  for (const { org_id } of [early, late]) expect(await released(org_id)).toBe(1);
});

test('a claim of a process that is killed while it drains expires with it, and until then its outcome counts', async () => {
  const inFlight = new InFlight();
  const { held, store, org_id } = deferral();
  await store();
  inFlight.addClaim(held);
  const work = Promise.withResolvers<void>();
  inFlight.track(work.promise);
  const before = Date.now();
  const drained = inFlight.drain({ workMs: hour, releaseMs: hour, endMs: 10_000 });
  await until(async () => Number((await deliveriesOf(org_id))[0]?.due_at) <= Date.now() + 10_000);
  expect(Number((await deliveriesOf(org_id))[0]?.due_at)).toBeGreaterThanOrEqual(before + 10_000);
  const outcome = { status: 'delivered' as const, attempts: [], attempt_count: 1, due_at: null, delivered_at: new Date().toISOString() };
  await inFlight.endClaim(held, () => saveOutcome(held.tenant, held.deliveryId, held.claim, outcome));
  work.resolve();
  await drained;
  expect(await deliveriesOf(org_id)).toMatchObject([{ status: 'delivered', claim: null }]);
});

test('due deliveries whose claim fails half-way are attempted again long before it expires', async () => {
  const { org_id, _id } = await endpointAt(receiver.url());
  for (let count = 0; count < 3; count++) await keptDelivery(org_id, _id, due());
  const { updateMany } = mongoose.mongo.Collection.prototype;
  const claims = jest.spyOn(mongoose.mongo.Collection.prototype, 'updateMany').mockImplementationOnce(async function (
    this: unknown,
    ...claim
  ) {
    await updateMany.apply(this, claim);
    throw new Error('the answer is lost');
  });
  start({ timeoutMs: hour });
  await settled(org_id, 3, 'delivered');
  expect(claims.mock.calls.length).toBeGreaterThan(1);
  expect(receiver.received).toHaveLength(3);
});

test('an outcome whose write fails is written again, without another attempt', async () => {
  const { org_id, _id } = await endpointAt(receiver.url());
  const failed = failWrites(2, ({ status }) => status === 'delivered');
  await keptDelivery(org_id, _id, due());
  start({ timeoutMs: hour });
  await settled(org_id, 1, 'delivered');
  expect(failed()).toBe(2);
  expect(receiver.received).toHaveLength(1);
});
