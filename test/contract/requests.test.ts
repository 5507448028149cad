import { randomUUID } from 'node:crypto';
import type { LoggedRequest, Usage } from '@webkiln/contract';
import { eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { team } from '../harness/team.ts';

const baseUrl = `${sharedPlatform().origins[0]}/api/v1`;
const noRequest = { requests: [], total: 0 };

interface Listed {
  readonly requests: readonly LoggedRequest[];
  readonly total: number;
}

const list = async (person: Person, query: Record<string, string> = {}): Promise<Listed> =>
  (await person.api.get(`/account/requests?${new URLSearchParams(query)}`)).expect(200).body;
const usageOf = async (person: Person, days = 30): Promise<Usage> =>
  (await person.api.get(`/account/usage?days=${days}`)).expect(200).body.usage;

/** Waits until the log lists this many requests, and returns them. */
const listed = (person: Person, query: Record<string, string>, total: number): Promise<readonly LoggedRequest[]> =>
  eventually(async () => {
    const found = await list(person, query);
    expect(found.total).toBe(total);
    return found.requests;
  });

async function program(boss: Person, name = 'CI') {
  const { key, secret } = (await boss.api.post('/account/keys', { name, permissions: ['read'] })).expect(201).body;
  return { key, api: new Api(baseUrl, secret) };
}

describe('a request with an API key', () => {
  test('listRequests: contains the request under its request id, in its own organization only', async () => {
    const [boss, stranger] = [await owner(), await owner()];
    const { key, api } = await program(boss);
    const requestId =
      (await api.get(`/projects/${randomUUID()}?secret=1`, { 'x-forwarded-for': '203.0.113.9' })).expect(404).headers.get('x-request-id') ??
      '';
    const [request] = await listed(boss, { request_id: requestId }, 1);
    expect(request).toEqual({
      id: expect.any(String),
      request_id: requestId,
      at: expect.stringMatching(/^20.*Z$/),
      credential: { kind: 'api_key', id: key.id, name: 'CI', prefix: key.prefix },
      method: 'GET',
      route: '/projects/{projectId}',
      status: 404,
      duration_ms: expect.any(Number),
      code: 'project_not_found',
      message: 'No project with this id in your organization.',
      agent: null,
      network: '203.0.113.0/24',
    });
    expect(await list(stranger, { request_id: requestId })).toEqual(noRequest);
    expect(await list(stranger, { key_id: key.id })).toEqual(noRequest);
  });

  test('getUsage: counts the request once, by key and day', async () => {
    const [boss, stranger] = [await owner(), await owner()];
    const { key, api } = await program(boss);
    for (let time = 0; time < 3; time++) (await api.get('/clients')).expect(200);
    (await api.get('/nowhere')).expect(404, 'route_not_found');
    (await api.post('/clients', { email: 'a@example.com' })).expect(403, 'permission_missing');
    await listed(boss, { key_id: key.id }, 5);
    const { own, days } = await eventually(async () => {
      const { keys, days } = await usageOf(boss, 7);
      const own = keys.find(({ key_id }) => key_id === key.id);
      expect(own?.requests).toBe(5);
      return { own, days };
    });
    expect(own).toMatchObject({ name: 'CI', prefix: key.prefix, requests: 5, client_errors: 2, server_errors: 0 });
    expect(days).toHaveLength(7);
    expect(days.map(({ date }) => date)).toContain(own?.last_used_on);
    expect((await usageOf(stranger)).keys.filter(({ key_id }) => key_id !== null)).toEqual([]);
  });
});

test('listRequests, getUsage: name a session request by its email address, and count all sessions together', async () => {
  const boss = await owner();
  const requestId = (await boss.api.get('/clients')).expect(200).headers.get('x-request-id') ?? '';
  const [request] = await listed(boss, { request_id: requestId }, 1);
  expect(request).toMatchObject({ credential: { kind: 'session', name: boss.email, prefix: null }, route: '/clients', code: null });
  await eventually(async () => expect((await usageOf(boss)).keys).toMatchObject([{ key_id: null, name: null }]));
});

test('listRequests: filters by key, credential, status and time, newest first, in pages', async () => {
  const boss = await owner();
  const [first, second] = [await program(boss, 'one'), await program(boss, 'two')];
  (await first.api.get('/clients')).expect(200);
  (await first.api.get(`/clients/${randomUUID()}`)).expect(404);
  (await second.api.get('/projects')).expect(200);
  const all = await listed(boss, { credential: 'api_key' }, 3);
  const times = all.map(({ at }) => at);
  expect(times).toEqual(times.toSorted().reverse());
  expect(await listed(boss, { key_id: first.key.id, status: '4xx' }, 1)).toMatchObject([{ status: 404, credential: { name: 'one' } }]);
  expect(await list(boss, { credential: 'api_key', limit: '1', offset: '2' })).toEqual({ requests: [all[2]], total: 3 });
  const [newest = ''] = times;
  const [before, after] = [all.filter(({ at }) => at < newest), all.filter(({ at }) => at >= newest)];
  expect((await list(boss, { credential: 'api_key', before: newest })).requests).toEqual(before);
  expect((await list(boss, { credential: 'api_key', after: newest })).requests).toEqual(after);
  await eventually(async () => expect((await list(boss, { credential: 'session' })).total).toBeGreaterThan(0));
});

test('listRequests: lists every request with the same caller-chosen request id', async () => {
  const boss = await owner();
  const { api } = await program(boss);
  const requestId = `mine-${randomUUID()}`;
  for (let time = 0; time < 2; time++) (await api.get('/clients', { 'x-request-id': requestId })).expect(200);
  await listed(boss, { request_id: requestId }, 2);
});

test.each<[string, string]>([
  ['status', '200'],
  ['credential', 'oauth'],
  ['key_id', 'none'],
  ['request_id', ''],
  ['after', 'yesterday'],
])('listRequests: finds nothing for the invalid %s "%s"', async (name, value) => {
  expect(await list(await owner(), { [name]: value })).toEqual(noRequest);
});

describe.each([
  ['getUsage', '/account/usage'],
  ['listRequests', '/account/requests'],
])('%s', (_operation, path) => {
  test('answers 200 to owners, admins and developers, and 403 to viewers', async () => {
    const { owner: boss, admin, developer, viewer } = await team();
    for (const person of [boss, admin, developer]) (await person.api.get(path)).expect(200);
    (await viewer.api.get(path)).expect(403, 'role_missing');
  });

  test('answers 403 to an API key without the permission for it, and 401 without a credential', async () => {
    const { api } = await program(await owner());
    (await api.get(path)).expect(403, 'permission_missing');
    (await new Api(baseUrl).get(path)).expect(401, 'missing_credential');
  });
});

test.each([
  ['-3', 1],
  ['1000', 365],
  ['many', 30],
])('getUsage: answers days=%s with %d days', async (asked, days) => {
  const { usage } = (await (await owner()).api.get(`/account/usage?days=${asked}`)).expect(200).body;
  expect(usage.days).toHaveLength(days);
});
