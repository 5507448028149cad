import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { logger } from '@webkiln/runtime';
import { scoped } from '@webkiln/store';
import { operationsOn, until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { addDelivery, DeliveryModel, saveOutcome } from '../deliveries/delivery-store.ts';
import { present } from '../testing/calls.ts';
import { claimedUntil, keptDelivery } from '../testing/deliveries.ts';
import { idsOf, status } from '../testing/receiver.ts';
import { deliveriesOf, endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';
import { newDelivery } from './attempts.ts';
import { type Claim, InFlight } from './in-flight.ts';

const { receiver, start, publish, allAcknowledged } = useDispatcher();

describe('replicas', () => {
  const due = () => ({ status: 'pending' as const, due_at: new Date(Date.now() - 1000) });
  const inMs = (ms: number) => new Date(Date.now() + ms);
  const pathsSeen = () => receiver.received.map(({ body }) => body).toSorted();

  test('two dispatchers together attempt each due delivery once', async () => {
    const { org_id, _id } = await endpointAt(receiver.url());
    const bodies = Array.from({ length: 200 }, (_, index) => `{"number":${index}}`);
    await Promise.all(bodies.map((body) => keptDelivery(org_id, _id, { ...due(), body })));
    start();
    start();
    await settled(org_id, 200, 'delivered');
    expect(pathsSeen()).toEqual(bodies.toSorted());
  });

  test('concurrent claims are disjoint, and a claim is exclusive until it expires', async () => {
    const { org_id, _id } = await endpointAt(receiver.url());
    await Promise.all(Array.from({ length: 40 }, () => keptDelivery(org_id, _id, due())));
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimedUntil({ org_id }, _id, 10, new Date(), inMs(60_000))));
    const ids = claims.flat().map((delivery) => delivery._id);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await claimedUntil({ org_id }, _id, 40, new Date(), inMs(60_000));
    expect(ids.length + rest.length).toBe(40);
    expect(await claimedUntil({ org_id }, _id, 40, new Date(), inMs(60_000))).toEqual([]);
    expect(await claimedUntil({ org_id }, _id, 40, inMs(60_001), inMs(120_000))).toHaveLength(40);
  });

  test('a dispatcher whose claim was taken over writes no outcome', async () => {
    const { org_id, _id } = await endpointAt(receiver.url());
    await keptDelivery(org_id, _id, due());
    const [lost] = await claimedUntil({ org_id }, _id, 1, new Date(), inMs(0));
    const [taken] = await claimedUntil({ org_id }, _id, 1, inMs(1), inMs(60_000));
    const { attempts } = present(lost);
    const outcome = { status: 'failed' as const, attempts, attempt_count: 1, due_at: null, delivered_at: null };
    await saveOutcome({ org_id }, present(lost)._id, present(present(lost).claim), outcome);
    expect(await deliveriesOf(org_id)).toEqual([taken]);
  });

  test('the claims of a dead process are attempted by another after they expire', async () => {
    const { org_id, _id } = await endpointAt(receiver.url());
    await keptDelivery(org_id, _id, due());
    await claimedUntil({ org_id }, _id, 1, new Date(), inMs(1_500));
    start();
    await settled(org_id, 1, 'delivered');
    expect(receiver.received).toHaveLength(1);
  });

  test('a stopping dispatcher releases unfinished claims, and another attempts them at once', async () => {
    const { org_id } = await endpointAt(receiver.url());
    receiver.answer = () => undefined;
    const stop = start({ timeoutMs: 600_000 });
    await publish(org_id, 3);
    await until(() => receiver.received.length === 3);
    await stop();
    expect(await scoped(DeliveryModel, { org_id }).count({ status: 'pending', claim: null })).toBe(3);
    receiver.reset();
    start();
    await settled(org_id, 3, 'delivered');
  });

  test('a dispatcher leaves no claims behind, even if it is stopped while claiming', async () => {
    const { org_id, _id } = await endpointAt(receiver.url());
    await Promise.all(Array.from({ length: 400 }, () => keptDelivery(org_id, _id, due())));
    const waiting = { status: 'pending' as const };
    for (let afterMs = 0; afterMs < 20; afterMs++) {
      const stop = start();
      await pause(afterMs);
      await stop();
      const count = await scoped(DeliveryModel, { org_id }).count(waiting);
      expect(await scoped(DeliveryModel, { org_id }).count({ ...waiting, claim: null })).toBe(count);
    }
  });
});

describe('a stop', () => {
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
});

describe('fairness', () => {
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

  test('a process that is busy itself stores a delivery once, with its outcome, though the answer takes long', async () => {
    receiver.answer = (response, request) => void setTimeout(() => status(200)(response, request), 1_200);
    const { org_id } = await endpointAt(receiver.url());
    start({ maxHoldMs: 1_000 });
    let isBusy = true;
    const spin = () => void (isBusy && setImmediate(spin));
    spin();
    const operations = await operationsOn('deliveries', async () => {
      await publish(org_id, 4);
      await settled(org_id, 4, 'delivered');
    });
    isBusy = false;
    expect(operations.filter(({ op }) => op === 'update')).toEqual([]);
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
});
