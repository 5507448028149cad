import { bodyOf, FakePublisher, shaOf, type TestFile } from '../testing/fake-publisher.ts';
import { serveSites } from '../testing/served-sites.ts';
import { visit } from '../testing/visit.ts';

const files = {
  'index.html': { content: '<h1>Home</h1>'.repeat(50), prepared: true },
  'about.html': { content: 'About' },
  'docs/index.html': { content: 'Docs' },
  'docs/a b & ü.txt': { content: 'Odd', type: 'text/plain; charset=utf-8' },
  'style.css': { content: 'body {}' },
  'logo.png': { content: Buffer.from([1, 2, 3]), type: 'image/png' },
  'empty.txt': { content: '', type: 'text/plain; charset=utf-8' },
} satisfies Record<string, TestFile>;

let published: FakePublisher;
let sites: Awaited<ReturnType<typeof serveSites>>;
beforeEach(async () => {
  published = new FakePublisher();
  published.publish('shop', files);
  sites = await serveSites(published);
});
afterEach(() => sites[Symbol.asyncDispose]());

test.each([
  ['/', 'index.html'],
  ['/index.html', 'index.html'],
  ['/about', 'about.html'],
  ['/about.html?x=1', 'about.html'],
  ['/docs/', 'docs/index.html'],
  ['/style.css', 'style.css'],
  ['/docs/a%20b%20%26%20%C3%BC.txt', 'docs/a b & ü.txt'],
  ['/empty.txt', 'empty.txt'],
] as const)('%s shows %s', async (path, name) => {
  const shown = await sites.visit(path);
  expect([shown.status, shown.body]).toEqual([200, bodyOf(files[name])]);
  expect(shown.headers['content-length']).toBe(String(shown.body.byteLength));
});

test.each([
  ['/docs', '/docs/'],
  ['/docs?a=b', '/docs/?a=b'],
  ['/about/', '/about'],
])('%s redirects to %s and is revalidated each time', async (path, location) => {
  const { status, headers } = await sites.visit(path);
  expect([status, headers.location, headers['cache-control']]).toEqual([301, location, 'no-cache']);
});

test('HEAD responds as GET does, without the content', async () => {
  const [{ headers }, head] = [await sites.visit('/about'), await sites.visit('/about', { method: 'HEAD' })];
  expect([head.status, head.body.byteLength]).toEqual([200, 0]);
  expect({ ...head.headers, date: '' }).toEqual({ ...headers, date: '' });
  expect((await sites.visit('/about', { method: 'HEAD', headers: { range: 'bytes=0-1' } })).status).toBe(200);
});

test('responses have the content type of the manifest and no headers that affect other sites', async () => {
  const { headers } = await sites.visit('/logo.png');
  expect(headers).toMatchObject({ 'content-type': 'image/png', 'x-content-type-options': 'nosniff', 'origin-agent-cluster': '?1' });
  for (const name of ['set-cookie', 'strict-transport-security', 'x-powered-by', 'server']) expect(headers[name]).toBeUndefined();
});

test("a missing page is 404, with the site's own 404.html if it has one", async () => {
  const plain = await sites.visit('/nothing');
  expect([plain.status, plain.headers['cache-control']]).toEqual([404, 'no-store']);
  expect(plain.body.toString()).toContain('Page not found');
  published.publish('own', { 'index.html': files['index.html'], '404.html': { content: 'Lost?' } });
  const own = await sites.visit('/nothing', { host: 'own.sites.test', headers: { 'if-none-match': '*', range: 'bytes=0-1' } });
  expect([own.status, own.body.toString()]).toEqual([404, 'Lost?']);
});

test('a suspended site is a plain 503 for every path', async () => {
  published.publish('paused', files, { suspended: true });
  for (const path of ['/', '/style.css', '/nothing']) {
    const shown = await sites.visit(path, { host: 'paused.sites.test' });
    expect([shown.status, shown.headers['retry-after']]).toEqual([503, '3600']);
    expect(shown.body.toString()).toContain('This site is paused');
  }
});

test('a name that a site has left redirects to where it is now, with path and query, for as long as it is so', async () => {
  published.move('left', 'https://new.sites.test');
  for (const path of ['/', '/about?x=1&y=%2F', '/nothing', '//evil.test/']) {
    const { status, headers } = await sites.visit(path, { host: 'left.sites.test' });
    expect([status, headers.location, headers['cache-control']]).toEqual([301, `https://new.sites.test${path}`, 'no-cache']);
  }
});

test('pages at a name that another site had clear what that site left in browsers, until the time is over', async () => {
  const clearing = async (host: string, path: string, dest?: string) =>
    (await sites.visit(path, { host: `${host}.sites.test`, headers: { ...(dest !== undefined && { 'sec-fetch-dest': dest }) } })).headers[
      'clear-site-data'
    ];
  published.publish('again', files, { clearsUntil: new Date(Date.now() + 60_000).toISOString() });
  published.publish('settled', files, { clearsUntil: new Date(Date.now() - 60_000).toISOString() });
  const shown = ['/', '/about', '/docs', '/nothing', '/old-worker.js'].map((path) => clearing('again', path));
  expect(await Promise.all(shown)).toEqual(Array(5).fill('"cache", "storage"'));
  expect(await clearing('again', '/old-worker.js', 'serviceworker')).toBe('"cache", "storage"');
  expect([await clearing('again', '/style.css', 'style'), await clearing('settled', '/'), await clearing('shop', '/')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('a lookup that finds nothing is reported to the gateway, and names in memory alone are served when it says so', async () => {
  const knownOnly = { headers: { 'x-webkiln-known-names-only': '1' } };
  const reported = async (host: string) => (await sites.visit('/', { host })).headers['x-webkiln-unknown-name'];
  expect([await reported('nobody.sites.test'), await reported('nobody.sites.test'), await reported('shop.sites.test')]).toEqual([
    '1',
    undefined,
    undefined,
  ]);
  const statusOf = async (host: string) => (await sites.visit('/', { host, ...knownOnly })).status;
  expect([await statusOf('shop.sites.test'), await statusOf('nobody.sites.test')]).toEqual([200, 404]);
  published.publish('other', files);
  for (const host of ['another.sites.test', 'other.sites.test', `${'a'.repeat(26)}.preview.test`]) expect(await statusOf(host)).toBe(429);
  expect((await sites.visit('/', { host: 'other.sites.test' })).status).toBe(200);
});

test.each([
  ['abuse@example.com', 'href="mailto:abuse@example.com" rel="noopener">abuse@example.com</a>'],
  [
    'https://example.com/report?a=b&c="d"',
    'href="https://example.com/report?a=b&#38;c=&#34;d&#34;" rel="noopener">the operator of this platform</a>',
  ],
])('a site that was taken down or is not there says that it is reported to %s', async (abuseContact, link) => {
  await using reported = await serveSites(published, { abuseContact });
  published.publish('bad', files, { takenDown: true });
  const shown = await Promise.all(['bad', 'nobody', 'shop'].map((name) => reported.visit('/', { host: `${name}.sites.test` })));
  expect(shown.map(({ status, body }) => [status, body.toString().includes(link)])).toEqual([
    [410, true],
    [404, true],
    [200, false],
  ]);
  const silent = await sites.visit('/', { host: 'bad.sites.test' });
  expect([silent.status, silent.body.toString().includes('Report')]).toEqual([410, false]);
});

test('files missing because another deploy is live are found by resolving the site again', async () => {
  await sites.visit('/about');
  published.publish('shop', { 'about.html': { content: 'New' }, 'style.css': { content: 'new' } });
  published.forget(files['style.css']);
  expect((await sites.visit('/style.css')).body.toString()).toBe('new');
  expect((await sites.visit('/about')).body.toString()).toBe('New');
});

test('unavailable content is 503 with Retry-After, until it is available again', async () => {
  published.forget(files['style.css']);
  const { status, headers } = await sites.visit('/style.css');
  expect([status, headers['retry-after'], headers['cache-control']]).toEqual([503, '2', 'no-store']);
  published.publish('shop', files);
  expect((await sites.visit('/style.css')).status).toBe(200);
});

test('concurrent requests for a site and its file cause one lookup and one load', async () => {
  const shown = await Promise.all(Array.from({ length: 50 }, () => visit(sites.port, '/about')));
  expect(shown.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(published.lookups).toEqual(['shop']);
  expect(published.loaded).toEqual([shaOf(files['about.html'])]);
});
