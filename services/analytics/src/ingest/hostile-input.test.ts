import { runIngest } from '../testing/running-ingest.ts';

let ingest: Awaited<ReturnType<typeof runIngest>>;
beforeAll(async () => {
  ingest = await runIngest();
  await ingest.ready();
});
afterAll(() => ingest[Symbol.asyncDispose]());

const pathOf = async () => (await ingest.views()).at(-1)?.path;

test.each([
  ['%2F', '/'],
  ['/', '/'],
  ['/a+b', '/a b'],
  ['%2Fa%252Bb', '/a+b'],
  ['%2F%25C3%25BC', '/ü'],
  ['/%C3%BC', '/ü'],
  ['/index.html', '/'],
  ['/docs/index.html?x=1#y', '/docs/'],
  ['/xindex.html', '/xindex.html'],
  ['/a%23b', '/a'],
  ['/a%3Fb', '/a'],
  ['//evil.example/', '//evil.example/'],
  ['/__proto__', '/__proto__'],
  [`/${'x'.repeat(1_024)}`, `/${'x'.repeat(1_024)}`],
  ['%2Fwhat%253F%2523%2B100%2525', '/what?#+100%'],
])('p=%.40s counts %.40s', async (written, path) => {
  expect((await ingest.ask(`/t.gif?x=%&p=${written}&p=/second`)).status).toBe(200);
  expect(await pathOf()).toBe(path);
});

test.each([
  '',
  'about',
  'https://shop.sites.test/',
  '/%00',
  '/%2500',
  '/a%0d%0aX-Evil:1',
  '/%7f',
  '/%c2%85',
  '/..%2f..%2fetc',
  '/%252e%252e/x',
  '/a/../b',
  '/a%255cb',
  '/%25',
  '/%',
  '/%zz',
  '/%c0%ae',
  '/%ed%a0%80',
  '/%ff',
  `/${'x'.repeat(1_025)}`,
])('p=%.40s is rejected with an error that names p', async (written) => {
  const { status, body } = await ingest.ask(`/t.gif?p=${written}`);
  expect(status).toBe(400);
  expect(JSON.parse(body.toString())).toMatchObject({ code: 'validation_failed', details: [{ path: 'p' }] });
});

test.each([
  ['', 'malformed_json'],
  ['{', 'malformed_json'],
  ['\xff\xfe', 'malformed_json'],
  ['{"events":[{"path":"/"},]}', 'malformed_json'],
  ['['.repeat(60_000), 'malformed_json'],
  ['null', 'validation_failed'],
  ['[]', 'validation_failed'],
  ['"events"', 'validation_failed'],
  ['{}', 'validation_failed'],
  ['{"__proto__":{"events":[{"path":"/"}]}}', 'validation_failed'],
  ['{"events":{}}', 'validation_failed'],
  ['{"events":[]}', 'validation_failed'],
  ['{"events":[null]}', 'validation_failed'],
  ['{"events":[{}]}', 'validation_failed'],
  ['{"events":[{"path":1}]}', 'validation_failed'],
  ['{"events":[{"path":{"$gt":""}}]}', 'validation_failed'],
  ['{"events":[{"path":"/\\ud800"}]}', 'validation_failed'],
  ['{"events":[{"path":"/\\u0000"}]}', 'validation_failed'],
  ['{"events":[{"path":"/","at":"now"}]}', 'validation_failed'],
  ['{"events":[{"path":"/","at":1e400}]}', 'validation_failed'],
  ['{"events":[{"path":"/","id":7}]}', 'validation_failed'],
  ['{"events":[{"path":"/","id":""}]}', 'validation_failed'],
  [`{"events":[{"path":"/","id":"${'x'.repeat(101)}"}]}`, 'validation_failed'],
  ['{"events":[{"path":"/","referrer":[]}]}', 'validation_failed'],
  [JSON.stringify({ events: Array(51).fill({ path: '/' }) }), 'validation_failed'],
  ['{"events":[{"path":"/tags/rock%2Froll"},{"path":"about"}]}', 'validation_failed'],
])('the body %.50s is rejected, and none of its views is stored', async (body, code) => {
  const before = (await ingest.views()).length;
  const answer = await ingest.ask('/api/collect', { method: 'POST', body: Buffer.from(body, 'latin1') });
  expect([answer.status, JSON.parse(answer.body.toString()).code]).toEqual([400, code]);
  expect(await ingest.views()).toHaveLength(before);
});

test.each<[what: string, bad: object | null | number, detail: object]>([
  [
    'an encoded slash',
    { path: '/tags/rock%2Froll' },
    { path: 'events.1.path', message: expect.stringContaining('must be the path of a page') },
  ],
  ['a bare percent', { path: '/100%' }, { path: 'events.1.path', message: expect.stringContaining('must be the path of a page') }],
  ['a path that is too long', { path: `/${'x'.repeat(1_025)}` }, { path: 'events.1.path', message: expect.stringContaining('1025') }],
  ['a path of another type', { path: 7 }, { path: 'events.1.path', message: expect.any(String) }],
  ['a time that is a word', { path: '/', at: 'now' }, { path: 'events.1.at', message: 'must be milliseconds since 1970' }],
  ['nothing', null, { path: 'events.1', message: 'must be a view' }],
])('a view with %s is named in the answer, and the others of its batch are counted', async (_what, bad, detail) => {
  const before = (await ingest.views()).length;
  const answer = await ingest.collect([{ path: '/one' }, bad as object, { path: '/two' }]);
  expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([200, { counted: 2, refused: 1, details: [detail] }]);
  expect((await ingest.views()).slice(before).map(({ path }) => path)).toEqual(['/one', '/two']);
});

test('a byte order mark before the views is no part of them', async () => {
  const answer = await ingest.ask('/api/collect', { method: 'POST', body: Buffer.from('\ufeff{"events":[{"path":"/marked"}]}') });
  expect([answer.status, await pathOf()]).toEqual([204, '/marked']);
});

test.each([
  ['javascript:alert(1)', ''],
  ['android-app://', ''],
  ['android-app://com.example@evil.example/', ''],
  ['android-app://com.google.android.gm', 'android-app://com.google.android.gm'],
  ['Android-App://com.Example/https/shop.sites.test/', 'android-app://com.example'],
  ['https://', ''],
  ['https://user:secret@news.example/', 'news.example'],
  ['https://evil.example\\@news.example/', 'evil.example'],
  ['https://[2001:db8::1]:8080/x', '[2001:db8::1]'],
  ['https://shop.sites.test.evil.example/', 'shop.sites.test.evil.example'],
  [`https://${'x'.repeat(254)}/`, ''],
  ['https://<script>.example/', ''],
  ['\u0000', ''],
  ['x'.repeat(30_000), ''],
])('the referrer %.40s is stored as "%s"', async (referrer, stored) => {
  expect((await ingest.collect([{ path: '/', referrer, unknown: { field: 1 } }])).status).toBe(204);
  expect((await ingest.views()).at(-1)?.referrer).toBe(stored);
});

test.each(['sites.test', 'a.shop.sites.test', '192.0.2.1', 'localhost', '-.sites.test', ''])('the host "%s" has no site', async (host) => {
  expect((await ingest.ask('/t.gif?p=/', { host })).status).toBe(404);
  expect((await ingest.ask('/t.js', { host })).status).toBe(404);
});

test.each<Record<string, string>>([
  { 'x-webkiln-client-address': 'x'.repeat(8000) },
  { 'x-webkiln-client-address': '999.1.1.1' },
  { 'x-webkiln-client-address': '' },
  { 'user-agent': '\u00ff'.repeat(8000) },
  { referer: `https://${'shop.sites.test/'.repeat(500)}` },
  { dnt: '0', 'sec-gpc': 'yes' },
])('unusual headers are accepted: %.60j', async (headers) => {
  expect((await ingest.ask('/t.gif?p=/', { headers })).status).toBe(200);
});
