import { randomUUID } from 'node:crypto';
import { parse } from 'yaml';
import { type Agency, agency } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { activeClient, inviteClient, makePlan, makeProject, someEmail } from './fixtures.ts';

const [origin = ''] = sharedPlatform().origins;
const baseUrl = `${origin}/api/v1`;
let ours: Agency;
beforeAll(async () => {
  ours = await agency();
});

const rateHeaders = ['ratelimit-policy', 'ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

describe('headers', () => {
  test.each([
    ['200', () => ours.api.raw('/clients')],
    ['401', () => new Api(baseUrl).raw('/clients')],
    ['404', () => ours.api.raw('/nothing')],
    ['the docs', () => new Api(baseUrl).raw('/docs')],
    ['a preflight', () => new Api(baseUrl).raw('/clients', { method: 'OPTIONS' })],
  ])('%s carries the rate-limit headers and a request id', async (_case, send) => {
    const { headers } = await send();
    for (const name of rateHeaders) expect([name, headers.get(name)]).toEqual([name, expect.any(String)]);
    expect(headers.get('ratelimit-policy')).toBe('"v1";q=100;w=60');
    expect(headers.get('ratelimit')).toMatch(/^"v1";r=\d+;t=\d+$/);
    expect(headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });

  test('a request id from the caller is returned, unless it could break a log line', async () => {
    expect((await ours.api.get('/clients', { 'x-request-id': 'abc-1' })).headers.get('x-request-id')).toBe('abc-1');
    expect((await ours.api.get('/clients', { 'x-request-id': 'a b' })).headers.get('x-request-id')).not.toBe('a b');
  });

  test('responses carry the headers of helmet, and a Content-Security-Policy that allows nothing', async () => {
    const { headers } = await ours.api.get('/clients');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('strict-transport-security')).toContain('max-age');
    expect(headers.get('x-powered-by')).toBeNull();
  });

  test('a preflight from any origin answers 204 without allowing credentials', async () => {
    const response = await new Api(baseUrl).raw('/clients', {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(response.headers.get('access-control-allow-methods')).toContain('PATCH');
  });
});

test('a response has exactly the ETag, X-Total-Count and further headers that the document requires', async () => {
  const project = await makeProject(ours.api);
  const { body: document } = await new Api(baseUrl).get('/docs');
  const isRequired = ({ $ref }: { $ref: string }) => document.components.headers[$ref.split('/').at(-1) ?? ''].required;
  for (const path of [
    '/clients',
    '/projects/{projectId}',
    '/projects/{projectId}/files',
    '/projects/{projectId}/forms/settings',
    '/analytics',
  ]) {
    const { headers } = (await ours.api.get(path.replace('{projectId}', project.id))).expect(200);
    const documented = document.paths[path].get.responses['200'].headers as Record<string, { $ref: string }>;
    const required = Object.keys(documented).filter((name) => isRequired(documented[name] as { $ref: string }));
    expect([path, required.filter((name) => !headers.has(name))]).toEqual([path, []]);
    for (const name of ['ETag', 'X-Total-Count']) expect([path, name, headers.has(name)]).toEqual([path, name, required.includes(name)]);
  }
});

describe('concurrent changes', () => {
  test('If-Match with the current ETag changes the record, an old ETag answers 412', async () => {
    const client = await inviteClient(ours.api);
    const etag = (await ours.api.get(`/clients/${client.id}`)).headers.get('etag') ?? '';
    (await ours.api.patch(`/clients/${client.id}`, { name: 'First' }, { 'if-match': etag })).expect(200);
    (await ours.api.patch(`/clients/${client.id}`, { name: 'Second' }, { 'if-match': etag })).expect(412, 'edited_meanwhile');
    expect((await ours.api.get(`/clients/${client.id}`)).body.client.name).toBe('First');
  });

  test('DELETE with an old ETag answers 412 and deletes nothing', async () => {
    const project = await makeProject(ours.api);
    (await ours.api.delete(`/projects/${project.id}`, { 'if-match': '"r999"' })).expect(412, 'edited_meanwhile');
    (await ours.api.get(`/projects/${project.id}`)).expect(200);
  });

  test('concurrent PATCHes of different fields are all kept', async () => {
    const client = await inviteClient(ours.api);
    const changes = [{ name: 'Ada' }, { company: 'Loaf' }, { status: 'active' }];
    for (const answer of await Promise.all(changes.map((change) => ours.api.patch(`/clients/${client.id}`, change)))) answer.expect(200);
    expect((await ours.api.get(`/clients/${client.id}`)).body.client).toMatchObject({ name: 'Ada', company: 'Loaf', status: 'active' });
  });

  test('If-None-Match with the current ETag answers 304', async () => {
    const plan = await makePlan(ours.api);
    const etag = (await ours.api.get(`/plans/${plan.id}`)).headers.get('etag') ?? '';
    expect((await ours.api.raw(`/plans/${plan.id}`, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });
});

describe('idempotency', () => {
  test('fifty concurrent POSTs with one Idempotency-Key have one effect, and get equal responses or 409', async () => {
    const { api } = await agency();
    const key = { 'idempotency-key': randomUUID() };
    const body = { email: someEmail() };
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.post('/clients', body, key)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    for (const answer of answers) if (answer.status !== 201) answer.expect(409, 'request_in_flight');
    expect(new Set(made.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect((await api.get('/clients')).body.total).toBe(1);
  });

  test('a repeated request gets the stored status and body, marked as replayed', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const body = { name: 'Care', price: 5 };
    const first = (await ours.api.post('/plans', body, key)).expect(201);
    const second = (await ours.api.post('/plans', body, key)).expect(201);
    expect(second.body).toEqual(first.body);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  test('a repeated request gets the stored error too, marked as replayed', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const { email } = await inviteClient(ours.api);
    const first = (await ours.api.post('/clients', { email }, key)).expect(400, 'email_taken');
    const second = (await ours.api.post('/clients', { email }, key)).expect(400, 'email_taken');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  test('an Idempotency-Key with another body answers 422', async () => {
    const key = { 'idempotency-key': randomUUID() };
    (await ours.api.post('/plans', { name: 'A', price: 1 }, key)).expect(201);
    (await ours.api.post('/plans', { name: 'B', price: 1 }, key)).expect(422, 'idempotency_key_reused');
  });

  test('an Idempotency-Key belongs to one credential and one route', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const body = { name: 'A', price: 1 };
    const first = (await ours.api.post('/plans', body, key)).expect(201).body.plan.id;
    const { api } = await ours.makeKey(['read', 'write']);
    expect((await api.post('/plans', body, key)).expect(201).body.plan.id).not.toBe(first);
    (await ours.api.post('/templates', { name: 'A' }, key)).expect(201);
  });

  test('two equal requests without an Idempotency-Key create two records', async () => {
    const ids = await Promise.all(
      [0, 1].map(async () => (await ours.api.post('/plans', { name: 'Twin', price: 1 })).expect(201).body.plan.id),
    );
    expect(ids[0]).not.toBe(ids[1]);
  });

  test('an Idempotency-Key over 255 bytes answers 400', async () => {
    (await ours.api.post('/plans', { name: 'A', price: 1 }, { 'idempotency-key': 'k'.repeat(256) })).expect(400, 'validation_failed');
  });
});

describe('documentation', () => {
  test('/docs is an OpenAPI 3.1 document of this server, and needs no credential', async () => {
    const { body } = (await new Api(baseUrl).get('/docs')).expect(200);
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: baseUrl }] });
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining(['/clients', '/clients/{clientId}', '/projects', '/plans', '/templates/{templateId}']),
    );
  });

  test('/docs with Accept: application/yaml and /docs.yaml return the same document as YAML', async () => {
    const json = (await new Api(baseUrl).get('/docs')).body;
    expect(parse(await (await fetch(`${baseUrl}/docs.yaml`)).text())).toEqual(json);
    expect(parse(await (await fetch(`${baseUrl}/docs`, { headers: { accept: 'application/yaml' } })).text())).toEqual(json);
  });

  test('/docs in a browser is a reference page that loads nothing from other hosts', async () => {
    const response = await fetch(`${baseUrl}/docs`, { headers: { accept: 'text/html' } });
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(await response.text()).not.toMatch(/https?:\/\//);
    expect((await fetch(`${origin}/api/v1/docs/reference.js`)).status).toBe(200);
  });

  test('listClients: returns {clients, total}, with each client as updateClient returns it', async () => {
    const client = await activeClient(ours.api);
    const { body } = (await ours.api.get('/clients?limit=1')).expect(200);
    expect(Object.keys(body).sort()).toEqual(['clients', 'total']);
    expect(body.clients[0]).toEqual(client);
  });
});
