import { startRelay } from '@webkiln/events';
import { messagesOn } from '@webkiln/events/testing';
import { scoped } from '@webkiln/store';
import { operationsOn, until } from '@webkiln/store/testing';
import { EndpointModel, endpointById } from '../endpoints/endpoint-store.ts';
import { onWebhookStopped } from '../reactions/on-webhook-stopped.ts';
import { present } from '../testing/calls.ts';
import { status } from '../testing/receiver.ts';
import { deliveriesOf, endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';

const { receiver, start, publish, stream } = useDispatcher();

const days = 24 * 3600_000;
const ago = (ms: number) => new Date(Date.now() - ms);
const reload = async ({ org_id, _id }: { org_id: string; _id: string }) => present(await endpointById({ org_id }, _id));

/** The endpoint as soon as it is switched off, and what the platform is told of it. */
async function switchedOff(endpoint: { org_id: string; _id: string }) {
  await until(async () => !(await reload(endpoint)).is_active);
  const told = async () => (await messagesOn(stream().stream)).filter(({ subject }) => subject.endsWith('internal.webhook.disabled'));
  await until(async () => (await told()).length > 0);
  return { endpoint: await reload(endpoint), told: (await told()).map((message) => message.json<{ data: unknown }>().data) };
}

test('an endpoint that answers 410 is switched off at once; what waits for it is skipped, and the platform is told once', async () => {
  startRelay([EndpointModel]);
  onWebhookStopped();
  const endpoint = await endpointAt(receiver.url());
  const { org_id, _id, url } = endpoint;
  start({ retryWaitsMs: [3600_000] });
  receiver.answer = status(500);
  await publish(org_id, 3);
  await until(async () => (await deliveriesOf(org_id)).filter(({ attempt_count }) => attempt_count === 1).length === 3);
  receiver.answer = status(410);
  await publish(org_id);
  const off = await switchedOff(endpoint);
  expect(off.endpoint).toMatchObject({ is_active: false, disabled_reason: 'gone' });
  expect(off.told).toEqual([{ webhook_id: _id, url, reason: 'gone' }]);
  await until(async () => (await deliveriesOf(org_id)).every((delivery) => delivery.status !== 'pending'));
  expect((await deliveriesOf(org_id)).map((delivery) => delivery.status).toSorted()).toEqual(['failed', 'skipped', 'skipped', 'skipped']);
});

test('five days of nothing but failures switch an endpoint off', async () => {
  startRelay([EndpointModel]);
  const endpoint = await endpointAt(receiver.url(), undefined, { failing_since: ago(5 * days + 1000) });
  receiver.answer = status(500);
  start({ disableAfterMs: 5 * days, retryWaitsMs: [] });
  await publish(endpoint.org_id);
  const off = await switchedOff(endpoint);
  expect(off.endpoint).toMatchObject({ disabled_reason: 'failing' });
  expect(off.told).toEqual([{ webhook_id: endpoint._id, url: endpoint.url, reason: 'failing' }]);
});

test('the first failure is the beginning; less than five days of them switch nothing off', async () => {
  const fresh = await endpointAt(receiver.url());
  const weary = await endpointAt(receiver.url(), undefined, { failing_since: ago(5 * days - 60_000) });
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

test('a success ends the failing, whatever it lasted', async () => {
  const endpoint = await endpointAt(receiver.url(), undefined, { failing_since: ago(9 * days) });
  start({ disableAfterMs: 5 * days });
  await publish(endpoint.org_id);
  await until(async () => (await reload(endpoint)).failing_since === null);
  expect(await reload(endpoint)).toMatchObject({ is_active: true, disabled_reason: null });
});

test('an endpoint that works costs no write to it', async () => {
  const { org_id } = await endpointAt(receiver.url());
  const operations = await operationsOn('endpoints', async () => {
    start();
    await publish(org_id, 50);
    await settled(org_id, 50, 'delivered');
  });
  expect(operations.filter(({ op }) => op !== 'query')).toEqual([]);
});

test('an inactive endpoint is sent nothing: what comes for it, and what was due, is skipped', async () => {
  const { org_id, _id } = await endpointAt(receiver.url());
  receiver.answer = status(500);
  start({ retryWaitsMs: [5_000] });
  await publish(org_id);
  await until(async () => (await deliveriesOf(org_id))[0]?.attempt_count === 1);
  await scoped(EndpointModel, { org_id }).updateOne({ _id }, { $set: { is_active: false } });
  await publish(org_id, 2);
  await settled(org_id, 3, 'skipped');
  expect(receiver.received).toHaveLength(1);
});

test('a deleted endpoint is sent nothing: what was due for it is dropped, also where nobody heard of the deletion', async () => {
  const { org_id, _id } = await endpointAt(receiver.url());
  receiver.answer = status(500);
  start({ retryWaitsMs: [5_000] });
  await publish(org_id, 2);
  await until(async () => (await deliveriesOf(org_id)).filter(({ attempt_count }) => attempt_count === 1).length === 2);
  await scoped(EndpointModel, { org_id }).deleteOne({ _id });
  await publish(org_id);
  await until(async () => (await deliveriesOf(org_id)).length === 0);
  expect(receiver.received).toHaveLength(2);
});
