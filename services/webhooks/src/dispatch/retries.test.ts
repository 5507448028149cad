import { randomUUID } from 'node:crypto';
import { startRelay } from '@webkiln/events';
import { messagesOn, put } from '@webkiln/events/testing';
import { suspensionOf, watchOrgPolicies } from '@webkiln/org-policy';
import { scoped, where } from '@webkiln/store';
import { operationsOn, until } from '@webkiln/store/testing';
import { DeliveryModel } from '../deliveries/delivery-store.ts';
import { sweepHeldBack } from '../deliveries/requeue-store.ts';
import { EndpointModel, endpointById } from '../endpoints/endpoint-store.ts';
import { onWebhookStopped } from '../reactions/on-webhook-ended.ts';
import { present } from '../testing/calls.ts';
import { keptDelivery } from '../testing/deliveries.ts';
import { idsOf, status } from '../testing/receiver.ts';
import { deliveriesOf, endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';
import { dispatchConfig } from './dispatch-config.ts';

const { receiver, start, publish, stream } = useDispatcher();

describe('retries', () => {
  /** The only delivery of an organization, after this many attempts. */
  async function afterAttempt(org_id: string, count: number) {
    await until(async () => (await deliveriesOf(org_id))[0]?.attempt_count === count);
    return present((await deliveriesOf(org_id))[0]);
  }

  test('attempts follow the schedule: 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h after the end of the previous one, ±10 %; then the delivery has failed', async () => {
    const { org_id } = await endpointAt(receiver.url());
    receiver.answer = status(500, {}, 'out of order');
    const waits = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * 1_000);
    start({ retryWaitsMs: dispatchConfig.WEBHOOK_RETRY_WAITS.parse(undefined) });
    await publish(org_id);
    for (const [made, wait] of waits.entries()) {
      const delivery = await afterAttempt(org_id, made + 1);
      const ended = Date.parse(present(delivery.attempts.at(-1)).at);
      const due = present(delivery.due_at).getTime();
      expect(due).toBeGreaterThanOrEqual(ended + 0.9 * wait);
      expect(due).toBeLessThanOrEqual(Date.now() + 1.1 * wait);
      // Ends the wait early; this changes nothing if it had ended already.
      const waiting = { _id: delivery._id, attempt_count: made + 1, claim: null };
      await scoped(DeliveryModel, { org_id }).updateOne(waiting, { $set: { due_at: new Date() } });
    }
    const failed = await afterAttempt(org_id, waits.length + 1);
    expect(failed).toMatchObject({ status: 'failed', due_at: null, delivered_at: null });
    expect(failed.attempts).toHaveLength(10);
    expect(receiver.received).toHaveLength(10);
  });

  test('no attempt is early, and all have the same id and body', async () => {
    const { org_id } = await endpointAt(receiver.url());
    receiver.answer = status(500);
    start({ retryWaitsMs: [300, 600] });
    await publish(org_id);
    await settled(org_id, 1, 'failed');
    const [first = 0, second = 0, third = 0] = receiver.received.map(({ at }) => at);
    expect(second - first).toBeGreaterThanOrEqual(0.9 * 300);
    expect(third - second).toBeGreaterThanOrEqual(0.9 * 600);
    expect(new Set(idsOf(receiver.received)).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  });

  test.each([429, 503])('%p with Retry-After is retried after that time, not before', async (code) => {
    const { org_id } = await endpointAt(receiver.url());
    receiver.answer = status(code, { 'retry-after': '3600' });
    start({ retryWaitsMs: [50] });
    await publish(org_id);
    const { due_at, attempts } = await afterAttempt(org_id, 1);
    expect(present(due_at).getTime()).toBeGreaterThanOrEqual(Date.parse(present(attempts[0]).at) + 3600_000);
  });

  test('Retry-After is ignored for other statuses', async () => {
    const { org_id } = await endpointAt(receiver.url());
    receiver.answer = status(500, { 'retry-after': '3600' });
    start({ retryWaitsMs: [50] });
    await publish(org_id);
    await settled(org_id, 1, 'failed');
    expect(receiver.received).toHaveLength(2);
  });

  test('a timed-out attempt records a readable error and is retried', async () => {
    const { org_id } = await endpointAt(receiver.url());
    let asked = 0;
    receiver.answer = (response) => {
      if (++asked > 1) response.end();
    };
    // On a slow machine a response may be late, which causes one more attempt.
    start({ timeoutMs: 1_000, retryWaitsMs: Array.from({ length: 10 }, () => 50) });
    await publish(org_id);
    const [delivery] = await settled(org_id, 1, 'delivered');
    const { attempts } = present(delivery);
    expect(attempts[0]).toMatchObject({ status_code: null, response: null, reason: 'The receiver did not answer within 1 s.' });
    expect(attempts.at(-1)).toMatchObject({ status_code: 200, reason: null });
  });

  test('an unreachable receiver gets the event when it is back', async () => {
    const { org_id } = await endpointAt(receiver.url());
    await receiver.close();
    start({ retryWaitsMs: Array.from({ length: 200 }, () => 100) });
    const [id] = await publish(org_id);
    await until(async () => ((await deliveriesOf(org_id))[0]?.attempt_count ?? 0) >= 2);
    await receiver.listen();
    await settled(org_id, 1, 'delivered');
    expect(idsOf(receiver.received)).toEqual([id]);
  });

  test('the last 20 attempts are stored, and all are counted', async () => {
    const { org_id } = await endpointAt(receiver.url());
    receiver.answer = status(500);
    start({ retryWaitsMs: Array.from({ length: 24 }, () => 1) });
    await publish(org_id);
    const [delivery] = await settled(org_id, 1, 'failed');
    expect(present(delivery).attempt_count).toBe(25);
    expect(present(delivery).attempts).toHaveLength(20);
  });

  test('no delivery is due after all have succeeded', async () => {
    const { org_id } = await endpointAt(receiver.url());
    start();
    await publish(org_id, 20);
    await settled(org_id, 20, 'delivered');
    expect(await scoped(DeliveryModel, { org_id }).count({ due_at: where<Date | null>({ $ne: null }) })).toBe(0);
  });
});

describe('the health of an endpoint', () => {
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
});

describe('a suspension', () => {
  const retentionMs = 3600_000;
  const sweep = () => sweepHeldBack({ perSecond: 10, retentionMs });
  /** Holds back whatever is sent to an endpoint of this organization, or ends that. */
  async function decide(organization_id: string, revision: number, isSuspended: boolean): Promise<void> {
    const data = { organization_id, revision, suspended_at: isSuspended ? new Date().toISOString() : null, limits: {} };
    const event = { id: randomUUID(), type: 'internal.organization.changed', timestamp: new Date().toISOString(), org_id: '' };
    await put(stream(), 'internal.organization.changed', [JSON.stringify({ ...event, api_version: 'v1', data })]);
    await until(async () => (await suspensionOf(organization_id)).suspended === isSuspended);
  }

  beforeEach(() => watchOrgPolicies('webhooks', {}, sweep));

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
});
