import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Delivery, Webhook as WebhookResource, WebhookSecret, webhookEvents } from '@webkiln/contract';
import { Webhook } from 'standardwebhooks';
import { type Agency, agency } from '../harness/agency.ts';
import { Api, type Json } from '../harness/api.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { findMember, newMember } from '../harness/team.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';
import { inviteClient, makeWebhook, someHook } from './fixtures.ts';

describe('webhooks', () => {
  let ours: Agency;
  beforeAll(async () => {
    ours = await agency();
  });

  const without = <T extends { secret: string }>({ secret: _secret, ...shown }: T) => shown;
  const isSecret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);

  test('createWebhook: answers 201 with exactly the contract fields and the secret', async () => {
    const { body } = (await ours.api.post('/webhooks', { url: someHook, events: [...webhookEvents] })).expect(201);
    expect(Object.keys(body)).toEqual(['webhook']);
    expect(Object.keys(body.webhook).sort()).toEqual([...Object.keys(WebhookResource.shape), 'secret'].sort());
    expect(body.webhook).toMatchObject({ url: someHook, events: webhookEvents, is_active: true, secret: isSecret });
    expect(Buffer.from(body.webhook.secret.slice(6), 'base64')).toHaveLength(32);
  });

  test('createWebhook: removes duplicate events', async () => {
    const events = ['client.updated', 'client.created', 'client.updated'] as WebhookResource['events'];
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

  test.each([
    'https://10.0.0.1/',
    'https://user@127.0.0.1/',
    'https://[::1]/hook',
    'https://127.0.0.1:22/',
    'https://metadata.google.internal:8443/',
    'https://metadata.google.internal.:8443/',
    'https://METADATA.Google.Internal.:8443/',
  ])('createWebhook, updateWebhook: answer 400 url_not_allowed to %s', async (url) => {
    (await ours.api.post('/webhooks', { url, events: ['client.created'] })).expect(400, 'url_not_allowed');
    const { id } = await makeWebhook(ours.api);
    expect((await ours.api.patch(`/webhooks/${id}`, { url })).expect(400, 'url_not_allowed').body.error).toMatch(/^url: .+[^.]\.$/);
    expect((await ours.api.get(`/webhooks/${id}`)).body.webhook.url).toBe(someHook);
  });

  test('listWebhookSecrets: names who was shown each secret, by session or key, also after the member left, until a rotation', async () => {
    const boss = await owner();
    const leaver = await newMember(boss, 'developer');
    const [{ id: owned }, { id: left }] = [await findMember(boss, boss), await findMember(leaver, boss)];
    const { key } = (await leaver.api.post('/account/keys', { name: 'CI', permissions: ['write'] })).expect(201).body;
    const taken = (await boss.api.post(`/account/keys/${key.id}/rotate`, {})).expect(201).body.secret;
    const own = (await leaver.api.post('/account/keys', { name: 'CI', permissions: ['write'] })).expect(201).body.secret;
    const ids = [];
    for (const api of [boss.api, leaver.api, new Api(boss.api.baseUrl, own), new Api(boss.api.baseUrl, taken)]) {
      ids.push((await makeWebhook(api)).id);
    }
    const [bosses, leavers, byKey, byTakenKey] = ids;
    const shownTo = async () => {
      const { webhook_secrets, total } = (await boss.api.get('/account/webhook-secrets')).expect(200).body;
      expect(total).toBe(ids.length);
      for (const secret of webhook_secrets) expect(Object.keys(secret)).toEqual(Object.keys(WebhookSecret.shape));
      return Object.fromEntries(webhook_secrets.map(({ id, shown_to }: WebhookSecret) => [id, shown_to]));
    };
    const rotate = async (api: Api, id = '') => (await api.post(`/webhooks/${id}/rotate-secret`, {})).expect(200);
    await rotate(leaver.api, bosses);
    const known = { [`${bosses}`]: left, [`${leavers}`]: left, [`${byKey}`]: left, [`${byTakenKey}`]: owned };
    expect(await shownTo()).toEqual(known);
    (await boss.api.delete(`/account/members/${left}?revoke_keys=true`)).expect(200);
    expect(await shownTo()).toEqual(known);
    await Promise.all([bosses, leavers, byKey].map((id) => rotate(boss.api, id)));
    expect(Object.values(await shownTo())).toEqual(ids.map(() => owned));
  });

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

  test('createWebhook, updateWebhook: answer 403 to a developer who would hear of payments, or send them elsewhere', async () => {
    const ada = await owner();
    const { api } = await newMember(ada, 'developer');
    const { id } = (await ada.api.post('/webhooks', { url: 'https://127.0.0.1/ours', events: ['payment.received'] })).expect(201).body
      .webhook;
    const mine = await makeWebhook(api, { events: ['client.created'] });
    (await api.post('/webhooks', { url: 'https://127.0.0.1/mine', events: ['payment.received'] })).expect(403, 'role_missing');
    (await api.patch(`/webhooks/${mine.id}`, { events: ['payment.received'] })).expect(403, 'role_missing');
    (await api.patch(`/webhooks/${id}`, { url: 'https://127.0.0.1/mine' })).expect(403, 'role_missing');
    (await api.patch(`/webhooks/${id}`, { events: ['client.created'], url: 'https://127.0.0.1/mine' })).expect(200);
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
});

describe('addresses', () => {
  let ours: Agency;
  let theirs: Agency;
  beforeAll(async () => {
    [ours, theirs] = await Promise.all([agency(), agency()]);
  });

  /** Method, path and required permission of every webhook operation. */
  const operations = (id: string) => [
    ['GET', '/webhooks', 'read'],
    ['POST', '/webhooks', 'write'],
    ['GET', `/webhooks/${id}`, 'read'],
    ['PATCH', `/webhooks/${id}`, 'write'],
    ['DELETE', `/webhooks/${id}`, 'write'],
    ['POST', `/webhooks/${id}/rotate-secret`, 'write'],
    ['GET', `/webhooks/${id}/deliveries`, 'read'],
    ['GET', `/webhooks/${id}/deliveries/${randomUUID()}`, 'read'],
    ['POST', `/webhooks/${id}/deliveries/${randomUUID()}/retry`, 'write'],
    ['POST', `/webhooks/${id}/retry`, 'write'],
    ['POST', `/webhooks/${id}/replay`, 'write'],
    ['POST', `/webhooks/${id}/test`, 'write'],
  ];
  const bodyOf = (path = '') => {
    if (path === '/webhooks') return { url: someHook, events: ['client.created'] };
    if (/^\/webhooks\/[^/]+\/retry$/.test(path)) return { delivery_ids: [randomUUID()] };
    return path.endsWith('/replay') ? { after: '2026-01-01T00:00:00Z' } : {};
  };
  const send = (api: Api, method = '', path = '', headers: Record<string, string> = {}, body = JSON.stringify(bodyOf(path))) => {
    const hasBody = method === 'POST' || method === 'PATCH';
    return api.raw(path, {
      method,
      headers: { ...(hasBody && { 'content-type': 'application/json' }), ...headers },
      ...(hasBody && { body }),
    });
  };

  test('every webhook operation answers 401 without a credential and 403 to a key without the permission', async () => {
    const { id } = await makeWebhook(ours.api);
    const nobody = new Api(`${sharedPlatform().origins[0]}/api/v1`);
    for (const [method, path, permission] of operations(id)) {
      expect((await send(nobody, method, path)).status).toBe(401);
      const lacking = permission === 'read' ? ours.writeOnly : ours.readOnly;
      expect((await send(lacking, method, path)).status).toBe(403);
    }
  });

  test('every webhook write answers 415 to a body that is not JSON', async () => {
    const { id } = await makeWebhook(ours.api);
    for (const [method, path] of operations(id)) {
      if (method !== 'POST' && method !== 'PATCH') continue;
      expect((await send(ours.api, method, path, { 'content-type': 'text/plain' }, 'x')).status).toBe(415);
    }
  });

  test('every webhook operation counts against the quota, and answers 429 with Retry-After above it', async () => {
    const few = await agency(undefined, { rateLimit: operations('').length });
    const id = randomUUID();
    for (const [method, path] of operations(id)) expect((await send(few.api, method, path)).status).not.toBe(429);
    for (const [method, path] of operations(id)) {
      const refused = await send(few.api, method, path);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  test('every webhook operation answers foreign, unknown and malformed ids with the same bytes, and changes nothing', async () => {
    const { secret: _shownOnce, ...webhook } = await makeWebhook(theirs.api);
    const same = { 'x-request-id': 'same' };
    for (const [at, [method, path]] of operations(webhook.id).entries()) {
      if (path === '/webhooks') continue;
      const others = [randomUUID(), 'nonsense'].map((id) => operations(id)[at]?.[1]);
      const answers = await Promise.all([path, ...others].map((each) => send(ours.api, method, each, same)));
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
      const [foreign, ...unknown] = await Promise.all(answers.map((answer) => answer.text()));
      for (const text of unknown) expect(text).toBe(foreign);
    }
    expect((await ours.api.get('/webhooks')).body.webhooks.map(({ id }: WebhookResource) => id)).not.toContain(webhook.id);
    expect((await theirs.api.get(`/webhooks/${webhook.id}`)).body).toEqual({ webhook });
  });
});

describe('deliveries', () => {
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
  const listed = async (id: string, query = ''): Promise<Json> =>
    (await ours.api.get(`/webhooks/${id}/deliveries${query}`)).expect(200).body;
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

  test('listDeliveries: shows the text of a compressed answer', async () => {
    const { id } = await hook();
    const said = JSON.stringify({ error: 'Schlüssel unbekannt' });
    receiver.answer = { headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' }, body: gzipSync(said) };
    await inviteClient(ours.api);
    expect((await untilOne(id, '?status=delivered')).attempts).toMatchObject([{ response: said }]);
    await remove(id);
  });

  test('listDeliveries: reads a day, and a + that was not encoded; what it does not understand is named in a header', async () => {
    const { id } = await hook();
    await inviteClient(ours.api);
    await untilOne(id, '?status=delivered');
    const minute = (offset: number) => new Date(Date.now() + offset * 60_000 + 120 * 60_000).toISOString().slice(0, 19);
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const read = async (query: string) => {
      const { body, headers } = await ours.api.get(`/webhooks/${id}/deliveries?${query}`);
      return [body.total, headers.get('x-parameter-warnings')];
    };
    const plus = 'the space was read as the + of a time zone; send it as %2B';
    expect(await read(`after=${minute(-5)}+02:00`)).toEqual([1, `after: ${plus}`]);
    expect(await read(`before=${minute(-5)}+02:00`)).toEqual([0, `before: ${plus}`]);
    expect(await read(`after=${minute(-5)}%2B02:00`)).toEqual([1, null]);
    expect(await read(`after=${day}`)).toEqual([1, null]);
    expect(await read('after=yesterday')).toEqual([0, 'after: takes a time such as 2026-03-01T00:00:00Z']);
    expect(await read('status=done')).toEqual([0, 'status: takes pending | delivered | failed | skipped']);
    expect(await read('event=client.deleted')).toEqual([0, 'event: takes the name of an event such as client.created']);
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

  test('getDelivery: answers 200 with the exact body and the headers that were sent, without the signature', async () => {
    const { id, secret } = await hook();
    await inviteClient(ours.api);
    const listedOne = await untilOne(id, '?status=delivered');
    const { delivery } = (await ours.api.get(`/webhooks/${id}/deliveries/${listedOne.id}`)).expect(200).body;
    const { request, ...rest } = delivery;
    expect(rest).toEqual(listedOne);
    const [received] = receiver.received;
    expect(request.body).toBe(received?.body);
    for (const { name, value } of request.headers) expect([name, received?.headers[name]]).toEqual([name, value]);
    expect(request.headers.map(({ name }: { name: string }) => name)).toEqual([
      ...['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp'],
    ]);
    expect(JSON.stringify(delivery)).not.toContain(secret);
    await remove(id);
  });

  test('retryDeliveries: answers 202 and sends the chosen deliveries again, each with its webhook-id, or none if one is not there', async () => {
    const { id } = await hook();
    const chosen: string[] = [];
    for (let count = 1; count <= 3; count++) {
      await inviteClient(ours.api);
      const { deliveries } = await ours.eventually(async () => {
        const found = await listed(id, '?status=delivered');
        if (found.total !== count) throw new Error(`${found.total} deliveries`);
        return found;
      });
      chosen.push(deliveries[0].id);
    }
    const events = receiver.received.map(({ headers }) => headers['webhook-id']);
    const send = (delivery_ids: unknown) => ours.api.post(`/webhooks/${id}/retry`, { delivery_ids });
    (await send([chosen[0], randomUUID()])).expect(404, 'delivery_not_found');
    (await send([])).expect(400, 'validation_failed');
    (await send(Array.from({ length: 101 }, () => randomUUID()))).expect(400, 'validation_failed');
    expect((await send([chosen[0], chosen[2], chosen[0]])).expect(202).body).toEqual({ queued: 2 });
    await ours.eventually(async () => expect(receiver.received).toHaveLength(5));
    const again = receiver.received.slice(3).map(({ headers }) => headers['webhook-id']);
    expect(again.toSorted()).toEqual([events[0], events[2]].toSorted());
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
});
