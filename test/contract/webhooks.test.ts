import { randomUUID } from 'node:crypto';
import { Webhook, webhookEvents } from '@webkiln/contract';
import { type Agency, agency } from '../harness/agency.ts';
import { makeWebhook, someHook } from './fixtures.ts';

let ours: Agency;
beforeAll(async () => {
  ours = await agency();
});

const without = <T extends { secret: string }>({ secret: _secret, ...shown }: T) => shown;
const isSecret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);

test('createWebhook: answers 201 with exactly the contract fields and the secret', async () => {
  const { body } = (await ours.api.post('/webhooks', { url: someHook, events: [...webhookEvents] })).expect(201);
  expect(Object.keys(body)).toEqual(['webhook']);
  expect(Object.keys(body.webhook).sort()).toEqual([...Object.keys(Webhook.shape), 'secret'].sort());
  expect(body.webhook).toMatchObject({ url: someHook, events: webhookEvents, is_active: true, secret: isSecret });
  expect(Buffer.from(body.webhook.secret.slice(6), 'base64')).toHaveLength(32);
});

test('createWebhook: removes duplicate events', async () => {
  const events = ['client.updated', 'client.created', 'client.updated'] as Webhook['events'];
  expect((await makeWebhook(ours.api, { events })).events).toEqual(['client.updated', 'client.created']);
});

test.each([
  ['no url', { events: ['client.created'] }, 'url: is required'],
  ['an invalid url', { url: 'hooks', events: ['client.created'] }, 'url: must be'],
  ['a url of another scheme', { url: 'ftp://example.com/', events: ['client.created'] }, 'url: must be'],
  ['no events', { url: someHook }, 'events: is required'],
  ['an empty list of events', { url: someHook, events: [] }, 'events: must name at least one event'],
  ['an unknown event', { url: someHook, events: ['client.deleted'] }, 'events.0: must be one of client.created,'],
  ['events that are not a list', { url: someHook, events: 'client.created' }, 'events: must be a list of event names'],
  ['a secret of its own', { url: someHook, events: ['client.created'], secret: 'x' }, 'secret: is not a field'],
])('createWebhook: answers 400 to %s and names the wrong field', async (_case, body, sentence) => {
  expect((await ours.api.post('/webhooks', body)).expect(400, 'validation_failed').body.error).toContain(sentence);
});

test.each(['https://10.0.0.1/', 'https://user@127.0.0.1/', 'https://[::1]/hook', 'https://127.0.0.1:22/'])(
  'createWebhook, updateWebhook: answer 400 url_not_allowed to %s',
  async (url) => {
    (await ours.api.post('/webhooks', { url, events: ['client.created'] })).expect(400, 'url_not_allowed');
    const { id } = await makeWebhook(ours.api);
    expect((await ours.api.patch(`/webhooks/${id}`, { url })).expect(400, 'url_not_allowed').body.error).toMatch(/^url: .+[^.]\.$/);
    expect((await ours.api.get(`/webhooks/${id}`)).body.webhook.url).toBe(someHook);
  },
);

test('listWebhooks: answers 200 with the webhooks of the organization, newest first, without secrets', async () => {
  const { api } = await agency();
  const first = await makeWebhook(api);
  const second = await makeWebhook(api, { events: ['form.submitted'] });
  expect((await api.get('/webhooks')).expect(200).body).toEqual({ webhooks: [without(second), without(first)], total: 2 });
});

test('getWebhook: answers 200 with the webhook, without its secret', async () => {
  const webhook = await makeWebhook(ours.api);
  expect((await ours.api.get(`/webhooks/${webhook.id}`)).expect(200).body).toEqual({ webhook: without(webhook) });
});

test('updateWebhook: answers 200 and changes only the fields in the body', async () => {
  const webhook = without(await makeWebhook(ours.api));
  const change = async (fields: object) => (await ours.api.patch(`/webhooks/${webhook.id}`, fields)).expect(200).body;
  expect(await change({ is_active: false })).toEqual({ webhook: { ...webhook, is_active: false } });
  const events = ['payment.received', 'project.published'];
  const url = 'https://127.0.0.1/other?with=query';
  expect(await change({ url, events })).toEqual({ webhook: { ...webhook, is_active: false, url, events } });
  expect(await change({ is_active: true })).toEqual({ webhook: { ...webhook, url, events } });
});

test('updateWebhook: answers 400 to invalid values and changes nothing', async () => {
  const webhook = without(await makeWebhook(ours.api));
  for (const fields of [{ events: [] }, { url: null }, { is_active: 'no' }, { secret: 'whsec_x' }]) {
    (await ours.api.patch(`/webhooks/${webhook.id}`, fields)).expect(400, 'validation_failed');
  }
  expect((await ours.api.get(`/webhooks/${webhook.id}`)).body).toEqual({ webhook });
});

test('deleteWebhook: answers 200 {deleted, id}, and 404 when repeated', async () => {
  const { id } = await makeWebhook(ours.api);
  expect((await ours.api.delete(`/webhooks/${id}`)).expect(200).body).toEqual({ deleted: true, id });
  (await ours.api.delete(`/webhooks/${id}`)).expect(404, 'webhook_not_found');
  (await ours.api.get(`/webhooks/${id}`)).expect(404, 'webhook_not_found');
});

test('rotateWebhookSecret: answers 200 with a new secret', async () => {
  const webhook = await makeWebhook(ours.api);
  const { body } = (await ours.api.post(`/webhooks/${webhook.id}/rotate-secret`)).expect(200);
  expect(body).toEqual({ webhook: { ...without(webhook), secret: isSecret } });
  expect(body.webhook.secret).not.toBe(webhook.secret);
});

test('listWebhooks, getWebhook, updateWebhook, deleteWebhook: never return the secret', async () => {
  const { api } = await agency();
  const { id, secret } = await makeWebhook(api);
  const rotated = (await api.post(`/webhooks/${id}/rotate-secret`)).expect(200).body.webhook.secret;
  const answers = [
    await api.get('/webhooks'),
    await api.get(`/webhooks/${id}`),
    await api.patch(`/webhooks/${id}`, { is_active: false }),
    await api.delete(`/webhooks/${id}`),
  ];
  for (const { body } of answers) {
    for (const hidden of [secret, rotated, 'whsec_', '"secret"']) expect(JSON.stringify(body)).not.toContain(hidden);
  }
});

test('createWebhook, rotateWebhookSecret: have one effect per Idempotency-Key, and repeat the secret', async () => {
  const { api } = await agency();
  const repeat = async (path: string, body: object) => {
    const key = { 'idempotency-key': randomUUID() };
    const [first, again] = [await api.post(path, body, key), await api.post(path, body, key)];
    expect(again.body).toEqual(first.body);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([first.status, 'true']);
    return first.body.webhook;
  };
  const made = await repeat('/webhooks', { url: someHook, events: ['client.created'] });
  const rotated = await repeat(`/webhooks/${made.id}/rotate-secret`, {});
  expect([made.secret, rotated.secret]).toEqual([isSecret, isSecret]);
  expect((await api.get('/webhooks')).body.total).toBe(1);
});

test('updateWebhook, deleteWebhook: answer 412 to an outdated ETag', async () => {
  const { id } = await makeWebhook(ours.api);
  const { headers } = await ours.api.get(`/webhooks/${id}`);
  const match = { 'if-match': headers.get('etag') ?? '' };
  (await ours.api.patch(`/webhooks/${id}`, { is_active: false }, match)).expect(200);
  (await ours.api.patch(`/webhooks/${id}`, { is_active: true }, match)).expect(412, 'edited_meanwhile');
  (await ours.api.delete(`/webhooks/${id}`, match)).expect(412, 'edited_meanwhile');
});
