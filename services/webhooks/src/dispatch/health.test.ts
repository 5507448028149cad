import { startRelay } from '@webkiln/events';
import { messagesOn } from '@webkiln/events/testing';
import { scoped } from '@webkiln/store';
import { operationsOn, until } from '@webkiln/store/testing';
import { DeliveryModel } from '../deliveries/delivery-store.ts';
import { EndpointModel, endpointById } from '../endpoints/endpoint-store.ts';
import { onWebhookStopped } from '../reactions/on-webhook-stopped.ts';
import { present } from '../testing/calls.ts';
import { status } from '../testing/receiver.ts';
import { deliveriesOf, endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';

const { receiver, start, publish, stream } = useDispatcher();

const days = 24 * 3600_000;
const ago = (ms: number) => new Date(Date.now() - ms);
const reload = async ({ org_id, _id }: { org_id: string; _id: string }) => present(await endpointById({ org_id }, _id));

/** Makes the next attempt due now. */
const makeDue = (org_id: string) => scoped(DeliveryModel, { org_id }).updateMany({}, { $set: { due_at: new Date() } });

/** Waits until the endpoint is disabled; returns it with the events raised about it. */
async function disabledEndpoint(endpoint: { org_id: string; _id: string }) {
  await until(async () => !(await reload(endpoint)).is_active);
  const events = async () => (await messagesOn(stream().stream)).filter(({ subject }) => subject.endsWith('internal.webhook.disabled'));
  await until(async () => (await events()).length > 0);
  return { endpoint: await reload(endpoint), events: (await events()).map((message) => message.json<{ data: unknown }>().data) };
}

test('a 410 response disables the endpoint at once, skips its pending deliveries and raises one event', async () => {
  startRelay();
  onWebhookStopped();
  const endpoint = await endpointAt(receiver.url());
  const { org_id, _id, url } = endpoint;
  start({ retryWaitsMs: [3600_000] });
  receiver.answer = status(500);
  await publish(org_id, 3);
  await until(async () => (await deliveriesOf(org_id)).filter(({ attempt_count }) => attempt_count === 1).length === 3);
  receiver.answer = status(410);
  await publish(org_id);
  const off = await disabledEndpoint(endpoint);
  expect(off.endpoint).toMatchObject({ is_active: false, disabled_reason: 'gone' });
  expect(off.events).toEqual([{ webhook_id: _id, url, reason: 'gone' }]);
  await until(async () => (await deliveriesOf(org_id)).every((delivery) => delivery.status !== 'pending'));
  expect((await deliveriesOf(org_id)).map((delivery) => delivery.status).toSorted()).toEqual(['failed', 'skipped', 'skipped', 'skipped']);
});

test('five days of failures alone disable an endpoint', async () => {
  startRelay();
  const endpoint = await endpointAt(receiver.url(), undefined, { failing_since: ago(5 * days + 1000) });
  receiver.answer = status(500);
  start({ disableAfterMs: 5 * days, retryWaitsMs: [] });
  await publish(endpoint.org_id);
  const off = await disabledEndpoint(endpoint);
  expect(off.endpoint).toMatchObject({ disabled_reason: 'failing' });
  expect(off.events).toEqual([{ webhook_id: endpoint._id, url: endpoint.url, reason: 'failing' }]);
});

test('the period starts at the first failure; less than five days disable nothing', async () => {
  const fresh = await endpointAt(receiver.url());
  const weary = await endpointAt(receiver.url(), undefined, { failing_since: ago(5 * days - 3600_000) });
  receiver.answer = status(500);
  start({ disableAfterMs: 5 * days, retryWaitsMs: [] });
  const before = Date.now();
  for (const { org_id } of [fresh, weary]) {
    await publish(org_id);
    await settled(org_id, 1, 'failed');
  }
  await until(async () => (await reload(fresh)).failing_since !== null);
  expect(present((await reload(fresh)).failing_since).getTime()).toBeGreaterThanOrEqual(before);
  expect(await reload(weary)).toMatchObject({ is_active: true, failing_since: weary.failing_since });
});

test('a success ends the failure period, however long it was', async () => {
  const endpoint = await endpointAt(receiver.url(), undefined, { failing_since: ago(9 * days) });
  start({ disableAfterMs: 5 * days });
  await publish(endpoint.org_id);
  await until(async () => (await reload(endpoint)).failing_since === null);
  expect(await reload(endpoint)).toMatchObject({ is_active: true, disabled_reason: null });
});

test('a successful delivery does not write to its endpoint', async () => {
  const { org_id } = await endpointAt(receiver.url());
  const operations = await operationsOn('endpoints', async () => {
    start();
    await publish(org_id, 50);
    await settled(org_id, 50, 'delivered');
  });
  expect(operations.filter(({ op }) => op !== 'query')).toEqual([]);
});

test('an inactive endpoint receives nothing: new and due deliveries are skipped', async () => {
  const { org_id, _id } = await endpointAt(receiver.url());
  receiver.answer = status(500);
  start({ retryWaitsMs: [3600_000] });
  await publish(org_id);
  await until(async () => (await deliveriesOf(org_id))[0]?.attempt_count === 1);
  await scoped(EndpointModel, { org_id }).updateOne({ _id }, { $set: { is_active: false } });
  await makeDue(org_id);
  await publish(org_id, 2);
  await settled(org_id, 3, 'skipped');
  expect(receiver.received).toHaveLength(1);
});

test('a deleted endpoint receives nothing: its due deliveries are dropped, even if the deletion event was missed', async () => {
  const { org_id, _id } = await endpointAt(receiver.url());
  receiver.answer = status(500);
  start({ retryWaitsMs: [3600_000] });
  await publish(org_id, 2);
  await until(async () => (await deliveriesOf(org_id)).filter(({ attempt_count }) => attempt_count === 1).length === 2);
  await scoped(EndpointModel, { org_id }).deleteOne({ _id });
  await makeDue(org_id);
  await publish(org_id);
  await until(async () => (await deliveriesOf(org_id)).length === 0);
  expect(receiver.received).toHaveLength(2);
});
