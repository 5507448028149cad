import { setTimeout as pause } from 'node:timers/promises';
import { scoped } from '@webkiln/store';
import { until } from '@webkiln/store/testing';
import { DeliveryModel, saveOutcome } from '../deliveries/delivery-store.ts';
import { present } from '../testing/calls.ts';
import { claimedUntil, keptDelivery } from '../testing/deliveries.ts';
import { deliveriesOf, endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';

const { receiver, start, publish } = useDispatcher();

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
