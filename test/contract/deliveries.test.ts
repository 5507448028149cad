import { randomUUID } from 'node:crypto';
import { Delivery, type Webhook as WebhookResource, webhookEvents } from '@webkiln/contract';
import { Webhook } from 'standardwebhooks';
import { type Agency, agency } from '../harness/agency.ts';
import type { Json } from '../harness/api.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';
import { inviteClient, makeWebhook, someHook } from './fixtures.ts';

let ours: Agency;
let receiver: WebhookReceiver;
beforeAll(async () => {
  ours = await agency(undefined, { rateLimit: 1_000_000 }); // tests poll for a state, so the quota must not stop them
});
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});
afterEach(() => receiver[Symbol.asyncDispose]());

const hook = (events: WebhookResource['events'] = ['client.created']) => makeWebhook(ours.api, { url: receiver.url, events });
const listed = async (id: string, query = ''): Promise<Json> => (await ours.api.get(`/webhooks/${id}/deliveries${query}`)).expect(200).body;
const untilOne = (id: string, query: string): Promise<Json> =>
  ours.eventually(async () => {
    const { deliveries } = await listed(id, query);
    if (deliveries.length !== 1) throw new Error(`${deliveries.length} deliveries with ${query}`);
    return deliveries[0];
  });
const remove = (id: string) => ours.api.delete(`/webhooks/${id}`);

test('listDeliveries: answers 200 with the deliveries, exactly as documented', async () => {
  const { id, secret } = await hook();
  const client = await inviteClient(ours.api);
  const delivery = await untilOne(id, '?status=delivered');
  const [received] = receiver.received;
  expect(new Webhook(secret).verify(received?.body ?? '', received?.headers ?? {})).toMatchObject({
    id: delivery.event_id,
    data: { client },
  });
  expect(Object.keys(delivery).sort()).toEqual(Object.keys(Delivery.shape).sort());
  expect(Delivery.parse(delivery)).toMatchObject({
    webhook_id: id,
    event: 'client.created',
    attempts: [{ status_code: 200, response: '', reason: null }],
    next_attempt_at: null,
    delivered_at: expect.any(String),
  });
  const answer = await ours.api.get(`/webhooks/${id}/deliveries?event=client.created`);
  expect([answer.body.total, answer.headers.get('x-total-count')]).toEqual([1, '1']);
  for (const query of ['?event=client.updated', '?status=failed', '?status=lost', '?after=nonsense']) {
    expect(await listed(id, query)).toEqual({ deliveries: [], total: 0 });
  }
  await remove(id);
});

test('retryDelivery: answers 202 and sends the same event with the same webhook-id and a new signature', async () => {
  const { id, secret } = await hook();
  await inviteClient(ours.api);
  const delivery = await untilOne(id, '?status=delivered');
  expect((await ours.api.post(`/webhooks/${id}/deliveries/${delivery.id}/retry`)).expect(202).body.delivery.id).toBe(delivery.id);
  const repeated = await ours.eventually(async () => {
    const [now] = (await listed(id, '?status=delivered')).deliveries;
    if (now?.attempts.length !== 2) throw new Error('no second attempt yet');
    return now;
  });
  const [first, second] = receiver.received;
  expect([second?.body, second?.headers['webhook-id']]).toEqual([first?.body, repeated.event_id]);
  expect(new Webhook(secret).verify(second?.body ?? '', second?.headers ?? {})).toBeDefined();
  await remove(id);
});

test('replayDeliveries: answers 202 with the number queued, and delivers the events that an inactive webhook missed', async () => {
  const { id } = await hook();
  const after = new Date(Date.now() - 60_000).toISOString();
  (await ours.api.patch(`/webhooks/${id}`, { is_active: false })).expect(200);
  const missed = await inviteClient(ours.api);
  await untilOne(id, '?status=skipped');
  expect(receiver.received).toEqual([]);
  (await ours.api.post(`/webhooks/${id}/replay`, { after })).expect(409, 'webhook_inactive');
  (await ours.api.patch(`/webhooks/${id}`, { is_active: true })).expect(200);
  expect((await ours.api.post(`/webhooks/${id}/replay`, { after })).expect(202).body).toEqual({ queued: 1, next_after: null });
  await untilOne(id, '?status=delivered');
  expect(receiver.received.map(({ event }) => event.data.client.id)).toEqual([missed.id]);
  await remove(id);
});

test.each([
  [{}, 'after: is required'],
  [{ after: 'yesterday' }, 'after: must be a time such as'],
  [{ after: '2026-01-01T00:00:00Z', before: 7 }, 'before: must be a time such as'],
  [{ after: '2026-01-01T00:00:00Z', status: 'pending' }, 'status: must be one of failed, skipped, delivered'],
])('replayDeliveries: answers 400 to %j and names the wrong field', async (body, sentence) => {
  const { id } = await makeWebhook(ours.api);
  expect((await ours.api.post(`/webhooks/${id}/replay`, body)).expect(400, 'validation_failed').body.error).toContain(sentence);
  await remove(id);
});

test('testWebhook: answers 200 with the result of a signed sample event that is marked as a test and not stored', async () => {
  const { id, secret } = await hook(['form.submitted', 'client.created']);
  const send = async (body?: object) => (await ours.api.post(`/webhooks/${id}/test`, body)).expect(200).body.delivery;
  expect(Delivery.parse(await send())).toMatchObject({ event: 'form.submitted', status: 'delivered', attempts: [{ status_code: 200 }] });
  for (const event of webhookEvents) expect(await send({ event })).toMatchObject({ event, status: 'delivered' });
  receiver.status = 500;
  expect(await send()).toMatchObject({ status: 'failed', attempts: [{ status_code: 500, reason: expect.stringContaining('500') }] });
  for (const { body, headers } of receiver.received) expect(new Webhook(secret).verify(body, headers)).toMatchObject({ test: true });
  expect(receiver.received.map(({ event }) => event.type)).toEqual(['form.submitted', ...webhookEvents, 'form.submitted']);
  expect(await listed(id)).toEqual({ deliveries: [], total: 0 });
  await remove(id);
});

test('testWebhook: answers 400 to an unknown event, and gives a reason in words when nothing listens', async () => {
  const { id } = await makeWebhook(ours.api, { url: someHook });
  (await ours.api.post(`/webhooks/${id}/test`, { event: 'client.deleted' })).expect(400, 'validation_failed');
  const { delivery } = (await ours.api.post(`/webhooks/${id}/test`)).expect(200).body;
  expect(delivery).toMatchObject({ status: 'failed', attempts: [{ status_code: null, reason: expect.stringMatching(/^[A-Z].+\.$/) }] });
  await remove(id);
});

test('listDeliveries, testWebhook, replayDeliveries, retryDelivery: answer equally to foreign, unknown and malformed ids', async () => {
  const theirs = (await agency()).api;
  const { id } = await hook();
  await inviteClient(ours.api);
  const delivery = await untilOne(id, '?status=delivered');
  const same = { 'x-request-id': 'same', 'content-type': 'application/json' };
  const texts = async (method: string, paths: string[], body?: string) => {
    const answers = await Promise.all(paths.map((path) => theirs.raw(path, { method, headers: same, body })));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 404));
    return new Set(await Promise.all(answers.map((answer) => answer.text())));
  };
  const hooks = [id, randomUUID(), 'nonsense'].map((each) => `/webhooks/${each}`);
  expect(
    await texts(
      'GET',
      hooks.map((path) => `${path}/deliveries`),
    ),
  ).toHaveProperty('size', 1);
  expect(
    await texts(
      'POST',
      hooks.map((path) => `${path}/test`),
      '{}',
    ),
  ).toHaveProperty('size', 1);
  expect(
    await texts(
      'POST',
      hooks.map((path) => `${path}/replay`),
      '{"after":"2026-01-01T00:00:00Z"}',
    ),
  ).toHaveProperty('size', 1);
  const retries = hooks.flatMap((path) => [delivery.id, randomUUID(), 'nonsense'].map((each) => `${path}/deliveries/${each}/retry`));
  expect(await texts('POST', retries, '{}')).toHaveProperty('size', 1);
  expect(receiver.received).toHaveLength(1);
  await remove(id);
});
