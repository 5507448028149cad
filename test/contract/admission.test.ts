import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { type Agency, agency } from '../harness/agency.ts';
import { Api, type Json } from '../harness/api.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { inviteClient, makePlan, makeProject, makeTemplate, someEmail } from './fixtures.ts';

const [origin = ''] = sharedPlatform().origins;
const baseUrl = `${origin}/api/v1`;
let ours: Agency;
let theirs: Agency;
beforeAll(async () => {
  [ours, theirs] = await Promise.all([agency(), agency()]);
});

const wrongKey = 'wk_0000000000000000000000000000000000000000000000000';

describe('authentication', () => {
  test.each([
    ['no Authorization header', {}, 'missing_credential'],
    ['another scheme', { authorization: 'Basic YTpi' }, 'missing_credential'],
    ['an empty bearer token', { authorization: 'Bearer ' }, 'missing_credential'],
    ['garbage', { authorization: 'Bearer hello' }, 'invalid_key'],
    ['a key with a wrong checksum', { authorization: `Bearer ${wrongKey}` }, 'invalid_key'],
  ])('%s answers 401', async (_case, headers, code) => {
    const answer = (await new Api(baseUrl).get('/clients', headers as Record<string, string>)).expect(401, code);
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
  });

  test('a revoked key answers 401', async () => {
    const { api, keyId } = await ours.makeKey(['read']);
    (await api.get('/clients')).expect(200);
    await ours.revokeKey(keyId);
    await ours.eventually(async () => (await api.get('/clients')).expect(401, 'invalid_key'));
  });

  test('an expired key answers 401', async () => {
    const { api } = await ours.makeKey(['read'], { expiresInMs: 5000 });
    await ours.eventually(async () => (await api.get('/clients')).expect(401, 'invalid_key'));
  });

  test('the Bearer scheme is case-insensitive', async () => {
    (await new Api(baseUrl).get('/clients', { authorization: `bearer ${ours.api.key}` })).expect(200);
  });
});

describe('permissions', () => {
  test('a read-only key can read, and gets 403 with X-Accepted-Permissions for a write', async () => {
    (await ours.readOnly.get('/clients')).expect(200);
    const refusal = (await ours.readOnly.post('/clients', { email: someEmail() })).expect(403, 'permission_missing');
    expect(refusal.headers.get('x-accepted-permissions')).toBe('write');
  });

  test('a write-only key can write, and gets 403 with X-Accepted-Permissions for a read', async () => {
    (await ours.writeOnly.post('/clients', { email: someEmail() })).expect(201);
    const refusal = (await ours.writeOnly.get('/clients')).expect(403, 'permission_missing');
    expect(refusal.headers.get('x-accepted-permissions')).toBe('read');
  });

  test('a key sent by a browser gets 403 from another origin, and is accepted from our own origin', async () => {
    (await ours.api.get('/clients', { origin: 'https://shop.example' })).expect(403, 'browser_key');
    (await ours.api.get('/clients', { origin })).expect(200);
  });
});

describe('the order of checks', () => {
  test('a missing credential answers 401 before any other error', async () => {
    await new Api(baseUrl)
      .raw('/clients', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } })
      .then((response) => expect(response.status).toBe(401));
  });

  test('403 comes before 415, 415 before 400, 400 before 404', async () => {
    const send = (api: Api, type: string) =>
      api.raw('/clients/nonsense', { method: 'PATCH', body: '{"status":"x"}', headers: { 'content-type': type } });
    expect((await send(ours.readOnly, 'text/plain')).status).toBe(403);
    expect((await send(ours.api, 'text/plain')).status).toBe(415);
    expect((await send(ours.api, 'application/json')).status).toBe(400);
    (await ours.api.patch('/clients/nonsense', {})).expect(404, 'client_not_found');
  });
});

describe('tenancy', () => {
  const paths = async () => {
    const client = await inviteClient(theirs.api);
    const plan = await makePlan(theirs.api);
    const project = await makeProject(theirs.api);
    const template = await makeTemplate(theirs.api);
    return [
      `/clients/${client.id}`,
      `/plans/${plan.id}`,
      `/projects/${project.id}`,
      `/templates/${template.id}`,
      `/projects/${project.id}/files`,
      `/templates/${template.id}/files`,
    ];
  };
  const same = { 'x-request-id': 'same' };
  const unknown = (path: string) => path.replace(/[0-9a-f-]{36}/, '018f0000-0000-7000-8000-000000000000');
  const malformed = (path: string) => path.replace(/[0-9a-f-]{36}/, 'nonsense');

  test('GET answers foreign, unknown and malformed ids with the same bytes', async () => {
    for (const path of await paths()) {
      const answers = await Promise.all([path, unknown(path), malformed(path)].map((each) => ours.api.raw(each, { headers: same })));
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
      const [foreign, ...others] = await Promise.all(answers.map((answer) => answer.text()));
      for (const other of others) expect(other).toBe(foreign);
    }
  });

  test('records of another organization cannot be changed or deleted, and stay as they are', async () => {
    for (const path of (await paths()).slice(0, 4)) {
      const before = (await theirs.api.get(path)).expect(200).body;
      (await ours.api.patch(path, { name: 'taken over' })).expect(404);
      if (path.startsWith('/projects') || path.startsWith('/templates')) (await ours.api.delete(path)).expect(404);
      expect((await theirs.api.get(path)).expect(200).body).toEqual(before);
    }
  });

  test("createProject: answers 404 to another organization's client and template", async () => {
    const template = await makeTemplate(theirs.api);
    const client = await inviteClient(theirs.api);
    (await ours.api.post('/projects', { client_email: client.email, name: 'A' })).expect(404, 'client_not_found');
    const own = await inviteClient(ours.api);
    await ours.api.patch(`/clients/${own.id}`, { status: 'active' });
    (await ours.api.post('/projects', { client_email: own.email, name: 'A', template_id: template.id })).expect(404, 'template_not_found');
  });
});

describe('media types and request bodies', () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
    ours.api.raw('/clients', { method: 'POST', body, headers });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'application/merge-patch+json'])(
    'a body of type %s answers 415',
    async (type) => {
      expect((await post('{}', { 'content-type': type })).status).toBe(415);
    },
  );

  test('a media type with a charset parameter is accepted', async () => {
    expect((await post(JSON.stringify({ email: someEmail() }), { 'content-type': 'Application/JSON; charset=utf-8' })).status).toBe(201);
  });

  test('PATCH takes JSON Merge Patch, and an answer about another type says so', async () => {
    const { id } = await inviteClient(ours.api, { name: 'Ada', company: 'Loaf' });
    const send = (body: string, type: string) =>
      ours.api.raw(`/clients/${id}`, { method: 'PATCH', body, headers: { 'content-type': type } });
    const changed = await send('{"name":null,"company":"Crumb"}', 'application/merge-patch+json');
    expect([changed.status, ((await changed.json()) as Json).client]).toMatchObject([200, { name: null, company: 'Crumb' }]);
    const refused = await send('[]', 'application/json-patch+json');
    const takes = 'application/merge-patch+json, application/json';
    expect([refused.status, refused.headers.get('accept-patch')]).toEqual([415, takes]);
    expect((await ours.api.raw(`/clients/${id}`, { method: 'OPTIONS' })).headers.get('accept-patch')).toBe(takes);
    expect((await ours.api.raw('/clients', { method: 'OPTIONS' })).headers.get('accept-patch')).toBeNull();
  });

  test('a byte order mark before JSON is no part of it', async () => {
    const type = { 'content-type': 'application/json' };
    const marked = (body: string) => new Uint8Array([0xef, 0xbb, 0xbf, ...Buffer.from(body)]);
    expect((await post(marked(JSON.stringify({ email: someEmail() })), type)).status).toBe(201);
    expect((await post(marked('{"email":'), type)).status).toBe(400);
  });

  test.each(['r&d', 'a/b', 'x=y', '{braces}', 'a..b', 'dot.', "?!#$%&'*+-/^_`|~="])(
    'createClient: takes the email address %s@… as browsers do',
    async (local) => {
      const email = `${local}@${randomUUID()}.example`;
      (await ours.api.post('/clients', { email })).expect(201);
      expect((await ours.api.get('/clients?limit=1')).body.clients[0].email).toBe(email);
    },
  );

  test.each([
    ['bücher', 'xn--bcher-kva'],
    ['例え', 'xn--r8jz45g'],
    ['пример', 'xn--e1afmkfd'],
  ])('createClient: an internationalized domain is the one that browsers send: %s', async (label, ascii) => {
    const name = randomUUID();
    expect((await ours.api.post('/clients', { email: `${name}@${label}.example` })).expect(201).body.client.email).toBe(
      `${name}@${ascii}.example`,
    );
    (await ours.api.post('/clients', { email: `${name}@${ascii.toUpperCase()}.example` })).expect(400, 'email_taken');
  });

  test.each([
    'a@b@example.com',
    'a b@example.com',
    'jörg@example.com',
    'a@-b.example',
    '=?utf-8?q?a=40evil.example?=@example.com',
    'a@example.com\r\nBcc: b@example.com',
  ])('createClient: answers 400 to %j', async (email) => {
    (await ours.api.post('/clients', { email })).expect(400, 'validation_failed');
  });

  test.each(['\u200b', ' \u2060\ufeff', '\u{e0041}', '\u2800', '\u3164', '\u202e\u202c'])(
    'a name that shows nothing answers 400 with a sentence: %j',
    async (name) => {
      const { body } = (await ours.api.post('/plans', { name, price: 1 })).expect(400, 'validation_failed');
      expect(body.error).toBe('name: must have a character that can be seen.');
      (await ours.api.post('/plans', { name: `${name}👩‍🍳`, price: 1 })).expect(201);
    },
  );

  test('a compressed body answers 415', async () => {
    expect((await post('{}', { 'content-type': 'application/json', 'content-encoding': 'gzip' })).status).toBe(415);
  });

  test('PATCH without a content type answers 415, POST with an empty body does not', async () => {
    expect((await ours.api.raw(`/clients/${(await inviteClient(ours.api)).id}`, { method: 'PATCH' })).status).toBe(415);
    (await ours.api.post('/clients')).expect(400, 'validation_failed');
  });

  test.each([
    ['broken JSON', '{"email":'],
    ['a bare word', 'hello'],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('%s answers 400 malformed_json', async (_case, body) => {
    const response = await post(body, { 'content-type': 'application/json' });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, 'malformed_json']);
  });

  test.each([
    ['an array', '[]'],
    ['null', 'null'],
    ['JSON 100,000 deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['1e400 for a name', '{"email":"a@example.test","name":1e400}'],
  ])('%s answers 400 validation_failed', async (_case, body) => {
    const response = await post(body, { 'content-type': 'application/json' });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, 'validation_failed']);
  });

  test('a body over 1 MB answers 413, with and without a Content-Length', async () => {
    const big = JSON.stringify({ email: someEmail(), name: 'x'.repeat(1024 * 1024) });
    expect((await post(big, { 'content-type': 'application/json' })).status).toBe(413);
    const streamed = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${ours.api.key}`, 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
      const outgoing = httpRequest(`${baseUrl}/clients`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      outgoing.on('error', reject);
      outgoing.end(big);
    });
    expect(streamed).toBe(413);
  });
});

describe('routes', () => {
  test('an unknown path answers 404 in the error envelope', async () => {
    const { body } = (await ours.api.get('/nothing', { 'x-request-id': 'r-1' })).expect(404, 'route_not_found');
    expect(body).toEqual({ error: expect.any(String), code: 'route_not_found', request_id: 'r-1' });
  });

  test('a known path with another method answers 405 with Allow', async () => {
    const { headers } = (await ours.api.delete('/clients')).expect(405, 'method_not_allowed');
    expect(headers.get('allow')).toBe('GET, POST');
  });

  test('a path that cannot be decoded answers 404, not 5xx', async () => {
    expect((await ours.api.raw('/clients/%zz')).status).toBe(404);
  });

  test('HEAD answers as GET, without the body', async () => {
    const response = await ours.api.raw('/clients', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });
});
