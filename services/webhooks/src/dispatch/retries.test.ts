import { scoped, where } from '@webkiln/store';
import { until } from '@webkiln/store/testing';
import { DeliveryModel } from '../deliveries/delivery-store.ts';
import { present } from '../testing/calls.ts';
import { idsOf, status } from '../testing/receiver.ts';
import { deliveriesOf, endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';
import { dispatchConfig } from './dispatch-config.ts';

const { receiver, start, publish } = useDispatcher();

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
