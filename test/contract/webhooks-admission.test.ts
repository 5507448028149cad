import { randomUUID } from 'node:crypto';
import type { Webhook } from '@webkiln/contract';
import { type Agency, agency } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { makeWebhook, someHook } from './fixtures.ts';

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
  ['POST', `/webhooks/${id}/deliveries/${randomUUID()}/retry`, 'write'],
  ['POST', `/webhooks/${id}/replay`, 'write'],
  ['POST', `/webhooks/${id}/test`, 'write'],
];
const bodyOf = (path = '') => {
  if (path === '/webhooks') return { url: someHook, events: ['client.created'] };
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
  const few = await agency(undefined, { rateLimit: 10 });
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
  expect((await ours.api.get('/webhooks')).body.webhooks.map(({ id }: Webhook) => id)).not.toContain(webhook.id);
  expect((await theirs.api.get(`/webhooks/${webhook.id}`)).body).toEqual({ webhook });
});
