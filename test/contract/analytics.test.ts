import { randomUUID } from 'node:crypto';
import { serverOf } from '@webkiln/events/listening';
import { nextDayTimeoutMs, withinOneDay } from '@webkiln/store/testing';
import { connect } from 'nats';
import { makeView } from '../../services/analytics/src/testing/make-view.ts';
import { type Agency, agency } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { mailedLink, mailsTo } from '../harness/mails.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { publishViews } from '../harness/views.ts';
import { activeClient, makeProject } from './fixtures.ts';

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
      (await ours.api.get(`/analytics?project_id=${project_id}`, { 'x-request-id': 'same', ...headers })).expect(404, 'project_not_found'),
    );
    const bodies = (await Promise.all(answers)).map(({ body }) => body);
    expect(bodies).toEqual(ids.map(() => bodies[0]));
  }
});

test('getAnalytics: a POST to the path answers 405 with Allow', async () => {
  const refusal = (await ours.api.post('/analytics', {})).expect(405, 'method_not_allowed');
  expect(refusal.headers.get('allow')).toBe('GET');
});
