import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { scoped } from '@webkiln/store';
import { until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { DeliveryModel } from '../deliveries/delivery-store.ts';
import { addBody, EventBodyModel } from '../deliveries/event-body-store.ts';
import { requeue, requeueRange } from '../deliveries/requeue-store.ts';
import { present } from '../testing/calls.ts';
import { keptDelivery } from '../testing/deliveries.ts';
import { status } from '../testing/receiver.ts';
import { deliveriesOf, endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';
import { masterKey } from '../testing/running-service.ts';

const { receiver, start, publish, stream } = useDispatcher();
const dayMs = 24 * 3600_000;
const endpoints = 50;

const bodiesOf = (org_id: string) => scoped(EventBodyModel, { org_id }).find({});
const bytesIn = async (collection: string) =>
  (await mongoose.connection.collection(collection).find().toArray()).reduce(
    (sum, row) => sum + mongoose.mongo.BSON.calculateObjectSize(row),
    0,
  );
const sentBodies = () => new Set(receiver.received.map(({ body }) => body));

/** An organization whose endpoints all get its events. */
async function manyEndpoints(count: number): Promise<string> {
  const { org_id } = await endpointAt(receiver.url('/0'));
  for (let at = 1; at < count; at++) await endpointAt(receiver.url(`/${at}`), org_id);
  return org_id;
}

test('the body of an event to 50 endpoints is stored once, that of an event to one endpoint in its delivery', async () => {
  const org_id = await manyEndpoints(endpoints);
  const single = await endpointAt(receiver.url('/single'));
  start();
  const text = 'x'.repeat(60_000);
  const [id] = await publish(org_id, 1, 'client.created', text);
  await publish(single.org_id);
  const deliveries = await settled(org_id, endpoints, 'delivered');
  const [own] = await settled(single.org_id, 1, 'delivered');
  expect(await bodiesOf(org_id)).toMatchObject([{ _id: id, body: present(receiver.at('/0')[0]).body }]);
  expect(sentBodies().size).toBe(2);
  expect(deliveries.every(({ body }) => body === null)).toBe(true);
  expect(own?.body).toBe(present(receiver.at('/single')[0]).body);
  expect(await bodiesOf(single.org_id)).toEqual([]);
  expect((await bytesIn('event_bodies')) + (await bytesIn('deliveries'))).toBeLessThan(2 * text.length);
});

test('a retry, a replay and a repeat of one delivery send the same body as the first attempt, and it is kept as long as they are', async () => {
  const org_id = await manyEndpoints(2);
  receiver.answer = status(500);
  start({ retryWaitsMs: [20] });
  await publish(org_id);
  const [first, second] = await settled(org_id, 2, 'failed');
  receiver.answer = status(204);
  const later = 90 * dayMs;
  await requeue({ org_id }, present(first)._id, new Date(), later);
  const range = {
    endpointId: present(second).endpoint_id,
    statuses: ['failed'],
    after: '2000-01-01T00:00:00Z',
    before: '2999-01-01T00:00:00Z',
  };
  await requeueRange({ org_id }, range as never, later, { max: 10, perSecond: 10, until: Date.now() + 60_000 });
  const delivered = await settled(org_id, 2, 'delivered');
  expect(receiver.received).toHaveLength(6);
  expect(sentBodies().size).toBe(1);
  const [body, ...others] = await bodiesOf(org_id);
  expect(others).toEqual([]);
  for (const { expire_at } of delivered) expect(present(body).expire_at.getTime()).toBeGreaterThan(expire_at.getTime());
});

test('an event whose process is killed before its deliveries are stored arrives everywhere, and its body is stored once, for a time', async () => {
  const org_id = await manyEndpoints(2);
  const env = {
    ...process.env,
    DATABASE: mongoose.connection.name,
    STREAM: stream().stream,
    SUBJECT_PREFIX: stream().subjectPrefix,
    MASTER_KEY: masterKey.toString('base64'),
  };
  const dying = spawn(process.execPath, [require.resolve('../testing/dying-dispatcher.ts')], { env, stdio: 'ignore' });
  const exited = once(dying, 'exit');
  await publish(org_id);
  expect(await exited).toEqual([null, 'SIGKILL']);
  expect(await deliveriesOf(org_id)).toEqual([]);
  start();
  const delivered = await settled(org_id, 2, 'delivered');
  expect(sentBodies().size).toBe(1);
  const [body, ...others] = await bodiesOf(org_id);
  expect(others).toEqual([]);
  for (const { expire_at } of delivered) expect(present(body).expire_at.getTime()).toBeGreaterThan(expire_at.getTime());
});

test('a body that an earlier attempt stored is kept for the deliveries of a later one, and no longer than a day beyond them', async () => {
  const event = { id: crypto.randomUUID(), type: 'client.created', org_id: crypto.randomUUID(), json: '{}', redelivered: true } as const;
  const until = new Date(Date.now() + 30 * dayMs);
  await addBody(event, new Date(Date.now() + dayMs));
  await addBody(event, until);
  expect(await bodiesOf(event.org_id)).toMatchObject([{ body: '{}', expire_at: new Date(until.getTime() + dayMs) }]);
});

test('a delivery whose body is no longer kept fails with a sentence, and its endpoint is not blamed', async () => {
  const endpoint = await endpointAt(receiver.url());
  const { org_id } = endpoint;
  await keptDelivery(org_id, endpoint._id, { status: 'pending', due_at: new Date(), body: null });
  const inline = await keptDelivery(org_id, endpoint._id, { status: 'pending', due_at: new Date(), body: '{"old":true}' });
  start();
  await until(async () => (await scoped(DeliveryModel, { org_id }).count({ status: 'pending' })) === 0);
  const found = await deliveriesOf(org_id);
  expect(found.find(({ _id }) => _id === inline)?.status).toBe('delivered');
  expect(found.find(({ _id }) => _id !== inline)).toMatchObject({
    status: 'failed',
    due_at: null,
    claim: null,
    attempts: [{ status_code: null, reason: 'The event is no longer kept, so it could not be sent.' }],
  });
  expect([...sentBodies()]).toEqual(['{"old":true}']);
  expect(await mongoose.connection.collection('endpoints').countDocuments({ failing_since: null })).toBe(1);
});
