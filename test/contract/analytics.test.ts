import { randomUUID } from 'node:crypto';
import type { LoggedRequest, Usage } from '@webkiln/contract';
import { serverOf } from '@webkiln/events/listening';
import { nextDayTimeoutMs, withinOneDay } from '@webkiln/store/testing';
import { connect } from 'nats';
import { makeView } from '../../services/analytics/src/testing/make-view.ts';
import { type Agency, agency, eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { mailedLink, mailsTo } from '../harness/mails.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { team } from '../harness/team.ts';
import { publishViews } from '../harness/views.ts';
import { activeClient, makeProject } from './fixtures.ts';

describe('analytics', () => {
  const platform = sharedPlatform();
  let ours: Agency;
  beforeAll(async () => {
    ours = await agency(undefined, { rateLimit: 1_000_000 }); // tests poll for a state, so the quota must not stop them
  });

  beforeEach(() => withinOneDay(), nextDayTimeoutMs);

  const empty = { totalViews: 0, uniqueVisitors: 0, topPages: [], topReferrers: [], deviceBreakdown: [] };
  const today = () => new Date().toISOString().slice(0, 10);
  const csv = { accept: 'text/csv' };

  /** Makes a published project; returns its id and the name of its site. */
  async function publishedSite(): Promise<{ id: string; name: string }> {
    const { id } = await makeProject(ours.api);
    const { url } = (await ours.api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': '<h1>Hi</h1>' } })).expect(200).body;
    return { id, name: new URL(url).hostname.split('.')[0] ?? '' };
  }

  /** Waits until the report counts this many views, and returns it. */
  const counted = (query: string, totalViews: number) =>
    ours.eventually(async () => {
      const { analytics } = (await ours.api.get(`/analytics?${query}`)).expect(200).body;
      expect(analytics.totalViews).toBe(totalViews);
      return analytics;
    });

  test('getAnalytics: answers 200 with exactly the contract fields, and one row for each of the 30 days up to today', async () => {
    const { body } = (await (await agency()).api.get('/analytics')).expect(200);
    expect(body).toEqual({ analytics: { ...empty, dailyViews: expect.any(Array) } });
    const dates = body.analytics.dailyViews.map(({ date }: { date: string }) => date);
    expect([dates.length, new Set(dates).size, dates.at(-1), dates.toSorted()]).toEqual([30, 30, today(), dates]);
    expect(body.analytics.dailyViews.every(({ views }: { views: number }) => views === 0)).toBe(true);
  });

  test.each([
    ['1', 1],
    ['365', 365],
    ['0', 1],
    ['-7', 1],
    ['100000', 365],
    ['7.9', 7],
    ['', 30],
    ['week', 30],
  ])('getAnalytics: answers 200 to days=%s with %i days', async (days, rows) => {
    const { body } = (await ours.api.get(`/analytics?days=${days}`)).expect(200);
    expect(body.analytics.dailyViews).toHaveLength(rows);
  });

  test('getAnalytics: counts the views of one project and of all projects, as JSON and CSV', async () => {
    const [first, second] = [await publishedSite(), await publishedSite()];
    await publishViews(platform.urls.NATS_URL, [
      makeView(first.name, { path: '/a.html', referrer: 'news.example', device: 'mobile' }),
      makeView(first.name, { path: '/a.html', event: 'aaaaaaaaaaa' }),
      makeView(first.name, { path: '/a.html', event: 'aaaaaaaaaaa' }),
      makeView(first.name, { path: '/$.b', visitor: 'another-visitor-' }),
      makeView(first.name, { bot: true }),
      makeView(second.name, { path: '/a.html' }),
      makeView('a-name-that-nobody-has'),
    ]);
    const figures = {
      totalViews: 3,
      uniqueVisitors: 2,
      topPages: [
        { path: '/a.html', views: 2 },
        { path: '/$.b', views: 1 },
      ],
      topReferrers: [
        { referrer: 'direct', views: 2 },
        { referrer: 'news.example', views: 1 },
      ],
      dailyViews: [{ date: today(), views: 3 }],
      deviceBreakdown: [
        { device: 'desktop', views: 2 },
        { device: 'mobile', views: 1 },
      ],
      bots: 1,
      realtime: { visitors: 2, views: 3 },
    };
    // Realtime figures are read separately from the sums, so the two can briefly disagree.
    await ours.eventually(async () => {
      const { analytics } = (await ours.api.get(`/analytics?days=1&project_id=${first.id}&include=bots,realtime`)).expect(200).body;
      expect(analytics).toEqual(figures);
    });
    const all = await counted('days=2', 4);
    expect(all).toMatchObject({
      uniqueVisitors: 3,
      topPages: [{ path: '/a.html', views: 3 }, { path: '/$.b' }],
      dailyViews: [{ views: 0 }, { views: 4 }],
    });
    expect(all).not.toHaveProperty('bots');
    const table = await ours.api.raw(`/analytics?days=1&project_id=${first.id}`, { headers: csv });
    expect([table.status, table.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    expect(table.headers.get('content-disposition')).toBe('attachment; filename="analytics.csv"');
    expect(table.headers.get('vary')).toContain('Accept');
    expect(await table.text()).toBe(`date,views,uniqueVisitors\r\n${today()},3,2\r\n`);
  });

  test('getVisits: counts by what views have in common, filters them, and answers CSV, JSON and the same 404s', async () => {
    const { id, name } = await publishedSite();
    const chrome = { browser: 'Chrome', country: 'DE', source: 'letter' };
    await publishViews(platform.urls.NATS_URL, [
      makeView(name, { path: '/menu', ...chrome }),
      makeView(name, { path: '/', ...chrome }),
      makeView(name, { path: '/', visitor: 'another-visitor-' }),
    ]);
    await counted(`days=1&project_id=${id}`, 3);
    const read = async (query: string) => (await ours.api.get(`/analytics/visits?days=1&project_id=${id}${query}`)).expect(200).body.visits;
    expect(await read('')).toMatchObject({
      ...{ from: today(), to: today(), views: 3, visitors: 2, unknown: 0 },
      pages: [
        { name: '/', views: 2, visitors: 1 },
        { name: '/menu', views: 1, visitors: 1 },
      ],
      browsers: [
        { name: 'Chrome', views: 2, visitors: 1 },
        { name: 'Firefox', views: 1, visitors: 1 },
      ],
      countries: [{ name: 'DE', views: 2, visitors: 1 }],
    });
    expect(await read('&source=letter&page=/menu')).toMatchObject({ views: 1, visitors: 1 });
    expect(await read('&browser=Firefox&country=DE')).toMatchObject({ views: 0, visitors: 0, days: [{ views: 0 }] });
    const table = await ours.api.raw(`/analytics/visits?days=1&project_id=${id}&browser=Chrome`, { headers: csv });
    expect(await table.text()).toBe(`date,views,visitors\r\n${today()},2,1\r\n`);
    (await ours.api.get('/analytics/visits?project_id=nonsense')).expect(404, 'project_not_found');
  });

  test('the monthly report reaches the client in its mailbox, and one click in the mail ends it', async () => {
    const client = await activeClient(ours.api);
    const project = await makeProject(ours.api, client);
    (await ours.api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': '<h1>Hi</h1>' } })).expect(200);
    const sites = [{ project_id: project.id, views: 9, visitors: 4, visitors_before: 0, pages: ['/'] }];
    const data = { user_id: project.user_id, month: '2026-01', sites };
    const event = { id: randomUUID(), type: 'internal.report.due', timestamp: new Date().toISOString(), org_id: project.org_id };
    const connection = await connect(serverOf(platform.urls.NATS_URL));
    await connection.jetstream().publish(event.type, JSON.stringify({ ...event, api_version: 'v1', data }));
    await connection.close();
    const url = await mailedLink(platform, client.email, /http\S+\/report-mails\?token=[\w.-]+/);
    const [mail = ''] = mailsTo(platform, client.email).slice(-1);
    expect(mail.replaceAll(/\r?\n[ \t]+/g, ' ')).toContain(`List-Unsubscribe: <${url}>`);
    expect(mail).toContain('4 visits, with 9 pages viewed, after none in the month before.');
    expect(await (await fetch(url)).text()).toContain('You receive monthly reports');
    for (let repeat = 0; repeat < 2; repeat++) {
      const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
      expect(await (await fetch(url, { method: 'POST', body })).text()).toContain('You receive no monthly reports');
    }
  });

  test('getAnalytics: answers 401 without a key and 403 to a key without read permission', async () => {
    (await new Api(ours.api.baseUrl).get('/analytics')).expect(401, 'missing_credential');
    (await ours.writeOnly.get('/analytics')).expect(403, 'permission_missing');
  });

  test('getAnalytics: answers 404 with the same bytes for a foreign, an unknown and a malformed project, also as CSV', async () => {
    const { id } = await makeProject((await agency()).api);
    const ids = [id, '018f0000-0000-7000-8000-000000000000', 'nonsense', '%00', ''];
    for (const headers of [{}, csv]) {
      const answers = ids.map(async (project_id) =>
        (await ours.api.get(`/analytics?project_id=${project_id}`, { 'x-request-id': 'same', ...headers })).expect(
          404,
          'project_not_found',
        ),
      );
      const bodies = (await Promise.all(answers)).map(({ body }) => body);
      expect(bodies).toEqual(ids.map(() => bodies[0]));
    }
  });

  test('getAnalytics: a POST to the path answers 405 with Allow', async () => {
    const refusal = (await ours.api.post('/analytics', {})).expect(405, 'method_not_allowed');
    expect(refusal.headers.get('allow')).toBe('GET');
  });
});

describe('requests', () => {
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
        (await api.get(`/projects/${randomUUID()}?secret=1`, { 'x-forwarded-for': '203.0.113.9' }))
          .expect(404)
          .headers.get('x-request-id') ?? '';
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
});
