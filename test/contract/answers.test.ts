import { randomUUID } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Operation, operations, sessionCookie } from '@webkiln/contract';
import { parse } from 'yaml';
import { type Agency, agency, eventually } from '../harness/agency.ts';
import { Api, type Json } from '../harness/api.ts';
import { embedPair, openEmbedSession } from '../harness/embed-session.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser, findMember, newMember } from '../harness/team.ts';
import { sendForm } from '../harness/visitor.ts';
import { activeClient, inviteClient, makePlan, makeProject, makeTemplate, makeWebhook, someEmail, someHook } from './fixtures.ts';
import { documented, elsewhere, ends, ids, makes, Story } from './story.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

describe('answers', () => {
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

    test('every error leads to its explanation', async () => {
      const { body, headers } = (await ours.api.get('/nothing')).expect(404);
      expect(headers.get('link')).toBe(`<${origin}/docs/errors#${body.code}>; rel="help"`);
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
      const statusOf = async (tags: string, path = `/plans/${plan.id}`) =>
        (await ours.api.raw(path, { headers: { 'if-none-match': tags } })).status;
      for (const tags of [etag, `W/${etag}`, `"r0", W/"x",${etag}`, `"r0" , W/${etag}`, '*'])
        expect([tags, await statusOf(tags)]).toEqual([tags, 304]);
      for (const tags of ['"r0"', 'W/"r0", "x"', etag.slice(1, -1), '""']) expect([tags, await statusOf(tags)]).toEqual([tags, 200]);
    });

    test('If-Match may list tags; a weak one matches nothing', async () => {
      const { id } = await inviteClient(ours.api);
      const etagNow = async () => (await ours.api.get(`/clients/${id}`)).headers.get('etag') ?? '';
      const patch = async (tags: string) => ours.api.patch(`/clients/${id}`, { name: randomUUID() }, { 'if-match': tags });
      (await patch(`"r0", ${await etagNow()}`)).expect(200);
      (await patch('*')).expect(200);
      (await patch(`W/${await etagNow()}`)).expect(412, 'edited_meanwhile');
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

    test('the same JSON in another order and spelling is the same request to an Idempotency-Key', async () => {
      const key = { 'idempotency-key': randomUUID(), 'content-type': 'application/json' };
      const post = (path: string, body: string) => ours.api.raw(path, { method: 'POST', headers: key, body });
      const one = (await (await post('/plans', '{"name":"Café","price":5}')).json()) as Json;
      const other = await post('/plans', '{ "price": 5.0,\n "name": "Caf\\u00e9" }');
      expect([other.status, other.headers.get('idempotent-replayed'), await other.json()]).toEqual([201, 'true', one]);
      expect((await post('/plans', '{"name":"Cafe","price":5}')).status).toBe(422);
      const { id } = await makeProject(ours.api);
      const files = (...paths: string[]) => JSON.stringify({ builtFiles: Object.fromEntries(paths.map((path) => [path, path])) });
      expect((await post(`/projects/${id}/publish`, files('index.html', 'a.html'))).status).toBe(200);
      expect((await post(`/projects/${id}/publish`, files('a.html', 'index.html'))).headers.get('idempotent-replayed')).toBe('true');
      const list = (...tags: string[]) => JSON.stringify({ url: someHook, events: tags });
      expect((await post('/webhooks', list('client.created', 'client.updated'))).status).toBe(201);
      expect((await post('/webhooks', list('client.updated', 'client.created'))).status).toBe(422);
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

    test('/docs and /docs.html lead a browser to the reference of the docs site', async () => {
      for (const [path, accept] of [
        ['/docs', 'text/html'],
        ['/docs.html', '*/*'],
      ] as const) {
        const response = await fetch(`${baseUrl}${path}`, { headers: { accept } });
        expect([response.status, response.url]).toEqual([200, `${origin}/docs/reference`]);
        expect(response.headers.get('content-type')).toContain('text/html');
      }
    });

    test('the usual addresses lead programs to the document, without a credential', async () => {
      const document = (await new Api(baseUrl).get('/docs')).body;
      for (const address of [`${origin}/openapi.json`, `${baseUrl}/openapi.json`, `${baseUrl}/docs.json`]) {
        const answer = await fetch(address);
        expect([address, answer.status, answer.headers.get('cache-control')]).toEqual([address, 200, 'public, max-age=300']);
        expect(await answer.json()).toEqual(document);
      }
      for (const address of [baseUrl, `${baseUrl}/`]) {
        const answer = await fetch(address);
        expect([answer.status, answer.headers.get('link')]).toEqual([
          200,
          expect.stringContaining(`<${baseUrl}/openapi.json>; rel="service-desc"`),
        ]);
        expect(await answer.json()).toMatchObject({
          openapi: `${baseUrl}/openapi.json`,
          documentation: `${origin}/docs`,
          mcp: `${origin}/api/mcp`,
        });
      }
      expect((await fetch(baseUrl, { headers: { accept: 'text/html' } })).headers.get('content-type')).toContain('text/html');
    });

    test('llms.txt introduces the API, and leads to the Markdown of every guide and operation', async () => {
      const answer = await fetch(`${origin}/llms.txt`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
      const text = await answer.text();
      expect(text).toMatch(/^# Webkiln\n\n> /);
      expect(Object.keys(operations).filter((name) => !text.includes(`(${origin}/docs/reference/${name}.md) (${name}): `))).toEqual([]);
      for (const address of [`${origin}/docs/webhooks.md`, `${origin}/docs/reference/createClient.md`]) {
        const page = await fetch(address);
        expect([text.includes(`](${address})`), page.headers.get('content-type')]).toEqual([true, 'text/markdown; charset=utf-8']);
        expect(await page.text()).toMatch(/^# \w/);
      }
    });

    test('the document comes compressed, as the client takes it', async () => {
      const { request } = await import('undici');
      const load = async (path: string, encoding: string) => {
        const answer = await request(`${baseUrl}${path}`, { headers: { 'accept-encoding': encoding } });
        return { encoding: answer.headers['content-encoding'], bytes: Buffer.from(await answer.body.arrayBuffer()) };
      };
      const [plain, br, gzip] = await Promise.all(['br;q=0', 'gzip, br', 'gzip'].map((encoding) => load('/docs.json', encoding)));
      expect([plain?.encoding, br?.encoding, gzip?.encoding]).toEqual([undefined, 'br', 'gzip']);
      expect([brotliDecompressSync(br?.bytes ?? ''), gunzipSync(gzip?.bytes ?? '')]).toEqual([plain?.bytes, plain?.bytes]);
      expect(gzip?.bytes.length).toBeLessThan(Number(plain?.bytes.length) / 3);
    });

    test('listClients: returns {clients, total, next_cursor}, with each client as updateClient returns it', async () => {
      await inviteClient(ours.api);
      const client = await activeClient(ours.api);
      const { body } = (await ours.api.get('/clients?limit=1')).expect(200);
      expect(Object.keys(body).sort()).toEqual(['clients', 'next_cursor', 'total']);
      expect(body.clients[0]).toEqual(client);
    });
  });
});

describe('the examples of the document', () => {
  const story = new Story();
  let boss: Person;

  /** The answers that are not as the document says. */
  async function wrongOf(names: readonly string[], send = (name: string) => story.send(boss.api, name)): Promise<string[]> {
    const wrong: string[] = [];
    for (const name of names) wrong.push(await send(name));
    return wrong.filter((text) => text !== '');
  }

  beforeAll(async () => {
    boss = await owner();
    // What the examples name and do not make themselves.
    const [larger, member] = await Promise.all([
      makePlan(boss.api, { name: 'Studio', price: 60 }),
      newMember(boss, 'viewer').then((person) => findMember(person, boss)),
    ]);
    story.ids.set(ids.largerPlan, larger.id).set(ids.member, member.id);
    const { organization } = (await boss.api.get('/account/session')).expect(200).body;
    story.ids.set(ids.organization, organization.id);
  });

  const reads = Object.entries(operations).filter(([name, { method }]) => method === 'GET' && !(name in elsewhere));

  test('every write is answered as the document says, with its own example as its body', async () => {
    for (const name of makes) {
      expect(await wrongOf([name])).toEqual([]);
      if (name !== 'resendInvitation') continue;
      // A person follows the link in the mail.
      (await boss.api.patch(`/clients/${story.ids.get(ids.client)}`, { status: 'active' })).expect(200);
    }
  });

  test('every read is answered as the document says, lists name their next page in body and header alike, and every operation is called by its example or elsewhere', async () => {
    const { published_url: url } = (await boss.api.get(`/projects/${story.ids.get(ids.project)}`)).expect(200).body.project;
    expect((await sendForm(origin, `${url}/_forms/contact`, { name: 'Lena' }, { origin: url, referer: `${url}/` })).status).toBe(303);
    await openEmbedSession(await embedPair(boss));
    // What testWebhook has sent is in no list.
    story.ids.delete(ids.delivery);
    await eventually(async () => {
      expect((await boss.api.get(`/webhooks/${story.ids.get(ids.webhook)}/deliveries`)).body.total).toBeGreaterThan(0);
      expect((await boss.api.get(`/projects/${story.ids.get(ids.project)}/forms/submissions`)).body.total).toBe(1);
    });
    const lists = reads.filter(([, { path }]) => !/Id\}$|\{path\}$/.test(path)).map(([name]) => name);
    const ofOne = reads.map(([name]) => name).filter((name) => !lists.includes(name));
    expect(await wrongOf([...lists, ...ofOne])).toEqual([]);
    // Of the lists that a cursor leads through.
    const paged = reads.map(([name]) => name).filter((name) => documented.get(name)?.parameters?.some((each) => each.name === 'cursor'));
    let further = 0;
    for (const name of paged) {
      const { total, next, linked } = await story.firstPage(boss.api, name);
      expect({ name, next, hasNext: next !== undefined }).toEqual({ name, next: linked, hasNext: total > 1 });
      further += next === undefined ? 0 : 1;
    }
    expect(further).toBeGreaterThan(1);
    expect(await wrongOf(ends)).toEqual([]);
    const called = new Set([...makes, ...ends, ...lists, ...ofOne, ...Object.keys(elsewhere)]);
    expect(Object.keys(operations).filter((name) => !called.has(name))).toEqual([]);
  });
});

describe('refused writes', () => {
  const isForOwners = (roles: Operation['roles']) => roles === undefined || roles === 'anyone' || roles.includes('owner');

  /**
   * Every list that an owner can read, as JSON. It leaves out usage and the request log, which contain the refusals,
   * and the audit log, which lags behind.
   */
  async function everything({ api }: Person): Promise<string> {
    const lists = Object.values(operations).filter(
      ({ method, path, roles }) =>
        method === 'GET' && isForOwners(roles) && !path.includes('{') && !/usage|requests|analytics|audit/.test(path),
    );
    const answers = await Promise.all(lists.map(async ({ path }) => (await api.get(path)).expect(200).body));
    return JSON.stringify(answers);
  }

  /** The actions before the refusals, and the revocation of the key after them. */
  const audited = [
    ...['client.changed', 'client.created', 'client.created', 'invitation.sent', 'key.created', 'key.revoked'],
    ...['member.added', 'member.added', 'plan.created', 'session.started', 'session.started', 'template.created', 'webhook.created'],
  ];

  test('valid writes that a viewer or a client is not allowed to make answer 403 and change nothing', async () => {
    const boss = await owner();
    const [viewer, { person: client }] = [await newMember(boss, 'viewer'), await clientUser(boss)];
    const theirs = await activeClient(boss.api);
    const project = await makeProject(boss.api, theirs);
    const [plan, template, webhook] = [await makePlan(boss.api), await makeTemplate(boss.api), await makeWebhook(boss.api)];
    const member = await findMember(viewer, boss);
    const { key } = (await boss.api.post('/account/keys', { name: 'CI', permissions: ['read'] })).expect(201).body;
    const before = await everything(boss);
    for (const { api } of [viewer, client]) {
      const answers = await Promise.all([
        api.post('/clients', { email: someEmail() }),
        api.patch(`/clients/${theirs.id}`, { status: 'suspended' }),
        api.post('/projects', { client_email: theirs.email, name: 'Mine' }),
        api.delete(`/projects/${project.id}`),
        api.post('/plans', { name: 'Free', price: 0 }),
        api.patch(`/plans/${plan.id}`, { price: 0 }),
        api.post('/templates', { name: 'Mine' }),
        api.delete(`/templates/${template.id}`),
        api.post('/webhooks', { url: someHook, events: ['client.created'] }),
        api.delete(`/webhooks/${webhook.id}`),
        api.post(`/webhooks/${webhook.id}/rotate-secret`, {}),
        api.post('/account/keys', { name: 'Mine', permissions: ['read', 'write'] }),
        api.delete(`/account/keys/${key.id}`),
        api.patch(`/account/members/${member.id}`, { role: 'owner' }),
        api.post('/account/invitations', { email: someEmail(), role: 'owner' }),
        api.patch('/account/organization', { name: 'Mine' }),
      ]);
      expect(answers.map(({ status, body }) => `${status} ${body.code}`)).toEqual(answers.map(() => '403 role_missing'));
    }
    (await viewer.api.patch(`/projects/${project.id}`, { name: 'Mine' })).expect(403, 'role_missing');
    (await viewer.api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': 'Mine' } })).expect(403, 'role_missing');
    expect(await everything(boss)).toBe(before);
    (await boss.api.delete(`/account/keys/${key.id}`)).expect(200);
    await eventually(async () => {
      const { entries } = (await boss.api.get('/account/audit?limit=100')).expect(200).body as { entries: { action: string }[] };
      expect(entries.map(({ action }) => action).sort()).toEqual(audited);
    });
  });
});

describe("the dashboard's files", () => {
  const html = { accept: 'text/html,application/xhtml+xml' };

  /** Loads a path without decompressing the body, as `fetch` would. */
  async function load(path: string, headers: Record<string, string> = {}) {
    const { request } = await import('undici');
    const answer = await request(`${origin}${path}`, { headers });
    const body = Buffer.from(await answer.body.arrayBuffer());
    return { status: answer.statusCode, headers: answer.headers, body };
  }

  const page = async () => (await load('/', html)).body.toString();
  const assetsOf = (text: string) => [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');

  test.each(['/', '/clients', '/projects/0d5b1d3e-8a3c-4d4a-9a1e-0c6f0c9f7b11', '/reset-password?token=x'])(
    'the dashboard URL %s can be opened directly',
    async (path) => {
      const answer = await load(path, html);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.body.toString()).toBe(await page());
    },
  );

  test.each(['/', '/build', '/sign-in', '/projects', '/build?l=unknown'])(
    '%s answers programs that take anything or say nothing with its page, as GET and HEAD',
    async (path) => {
      const { request } = await import('undici');
      for (const headers of [
        {} as Record<string, string>,
        { accept: '*/*' },
        { accept: 'text/*;q=0.5' },
        { accept: 'image/webp, */*;q=0.1' },
      ]) {
        const answer = await load(path, headers);
        expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
        const head = await request(`${origin}${path}`, { method: 'HEAD', headers });
        expect([head.statusCode, head.headers['content-length']]).toEqual([200, String(answer.body.length)]);
        expect((await head.body.text()).length).toBe(0);
      }
    },
  );

  test.each(['/.well-known/openid-configuration/api', '/oauth/nothing', '/robots.txt', '/favicon.ico', '/api/nothing'])(
    '%s, which is no page, answers 404 to programs that take anything',
    async (path) => expect((await load(path, { accept: '*/*' })).status).toBe(404),
  );

  test('the docs site answers whatever a program accepts: pages without a slash at their end, hashed files for ever, else 404', async () => {
    const page = await load('/docs/webhooks', { accept: '*/*', 'accept-encoding': 'br' });
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-encoding': 'br',
    });
    expect((await load('/docs/webhooks', { 'if-none-match': String(page.headers.etag) })).status).toBe(304);
    expect(brotliDecompressSync(page.body).equals((await load('/docs/webhooks')).body)).toBe(true);
    const [, style = ''] = /href="(\/docs\/_astro\/[^"]+\.css)"/.exec((await load('/docs')).body.toString()) ?? [];
    expect((await load(style)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const slash = await load('/docs/webhooks/');
    expect([slash.status, slash.headers.location]).toEqual([301, '/docs/webhooks']);
    for (const path of ['/docs/nothing', '/docs/../package.json', '/docs/manifest.json', '/docs/%2e%2e/manifest.json', '/docs/__proto__'])
      expect([path, (await load(path)).status]).toEqual([path, 404]);
  });

  test('the links that add the MCP server to Cursor and VS Code name this platform', async () => {
    const linkOf = async (agent: string) => String((await load(`/docs/install/${agent}`)).headers.location);
    const url = `${origin}/api/mcp`;
    const config = new URL(await linkOf('cursor')).searchParams.get('config') ?? '';
    expect(JSON.parse(Buffer.from(config, 'base64').toString())).toEqual({ url });
    const [, given = ''] = (await linkOf('vscode')).split('vscode:mcp/install?');
    expect(JSON.parse(decodeURIComponent(given))).toEqual({ name: 'webkiln', type: 'http', url });
  });

  const tagsOf = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/<meta (?:name|property)="([\w:]+)" content="([^"]*)">/g)].map(([, name, content]) => [name, content]),
    );

  test('a link to the dashboard shows a title, a sentence and a picture; one to a build link names the agency and its logo', async () => {
    const shown = tagsOf(await page());
    expect(shown).toMatchObject({
      'og:title': 'Webkiln',
      'og:description': shown.description,
      'og:image': `${origin}/assets/link-preview.png`,
    });
    const picture = await load(new URL(shown['og:image'] ?? '').pathname);
    expect([picture.status, picture.headers['content-type'], picture.body.readUInt32BE(16)]).toEqual([200, 'image/png', 1200]);
    const studio = await owner();
    const { build_link } = (await studio.api.post('/account/build-links', { prompt: 'A site' })).expect(201).body;
    const { name } = (await studio.api.get('/account/session')).expect(200).body.organization;
    const opened = (await load(`/build?l=${build_link.id}`)).body.toString();
    expect(opened).toContain(`<title>Build a website with ${name}</title>`);
    expect(tagsOf(opened)).toMatchObject({ 'og:title': `Build a website with ${name}`, 'og:image': expect.stringMatching(/^http/) });
  });

  test('a dashboard page is revalidated on each visit, and answers 304 to its ETag', async () => {
    const first = await load('/', html);
    expect(first.headers['cache-control']).toBe('no-cache');
    const again = await load('/', { ...html, 'if-none-match': String(first.headers.etag) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  test('dashboard assets are cached forever and sent in an encoding that the browser accepts', async () => {
    const [script = ''] = assetsOf(await page()).filter((path) => path.endsWith('.js'));
    const plain = await load(script);
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8');
    const brotli = await load(script, { 'accept-encoding': 'gzip, deflate, br' });
    const gzip = await load(script, { 'accept-encoding': 'br;q=0, gzip' });
    expect([brotli.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual(['br', 'gzip']);
    expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
    expect(gunzipSync(gzip.body)).toEqual(plain.body);
  });

  test('embed.js is one script of less than 2 KB, which pages of any origin may load and keep for an hour', async () => {
    const { status, headers, body } = await load('/embed.js', {
      'accept-encoding': 'gzip, deflate, br',
      origin: 'https://app.example.com',
    });
    expect([status, headers['content-type'], headers['content-encoding']]).toEqual([200, 'text/javascript; charset=utf-8', 'br']);
    expect(body.length).toBeLessThan(2048);
    expect(brotliDecompressSync(body).toString()).toMatch(/^var Webkiln=/);
    expect(headers).toMatchObject({
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
      vary: 'Accept-Encoding',
    });
  });

  test('the Content-Security-Policy of the dashboard forbids other hosts and inline scripts', async () => {
    const policy = String((await load('/', html)).headers['content-security-policy']);
    const directives = Object.fromEntries(policy.split(';').map((each) => [each.split(' ')[0], each]));
    expect(directives).toMatchObject({
      'default-src': "default-src 'none'",
      'script-src': "script-src 'self'",
      'style-src': "style-src 'self'",
      'connect-src': "connect-src 'self'",
      'form-action': "form-action 'self'",
      'base-uri': "base-uri 'none'",
      'frame-ancestors': "frame-ancestors 'none'",
    });
    expect(policy).not.toContain('unsafe');
  });

  test('a path that is neither a page nor a file answers 404 in JSON', async () => {
    expect(JSON.parse((await load('/assets/nothing.js')).body.toString())).toMatchObject({ code: 'route_not_found' });
    expect((await load('/clients', { accept: 'application/json' })).status).toBe(404);
    expect((await load('/api/nothing', html)).status).toBe(404);
  });

  test('a request with a session cookie gets module preload links, others get none, and Vary keeps caches correct', async () => {
    const cookie = `${sessionCookie}=${'a'.repeat(32)}.signature`;
    const [stranger, home, project] = await Promise.all([
      load('/', html),
      load('/', { ...html, cookie }),
      load('/projects/some', { ...html, cookie }),
    ]);
    expect(stranger.headers.link).toBeUndefined();
    for (const { headers } of [stranger, home, project]) expect(headers.vary).toBe('Accept-Encoding, Accept-Language, Cookie');
    const early = [home, project].map(({ headers }) => [...String(headers.link).matchAll(/<([^>]+)>; rel=modulepreload(?:, |$)/g)]);
    const [ofHome = [], ofProject = []] = early.map((found) => found.map(([, path]) => path ?? ''));
    expect(ofProject).toEqual(expect.arrayContaining(ofHome));
    expect(ofProject.length).toBeGreaterThan(ofHome.length);
    // What the page names first comes first; the others it does not name.
    const named = assetsOf(home.body.toString());
    for (const [at, path] of ofProject.entries()) {
      const script = await load(path);
      expect([script.status, script.headers['content-type'], named.includes(path)]).toEqual([
        200,
        'text/javascript; charset=utf-8',
        at === 0,
      ]);
    }
  });
});
