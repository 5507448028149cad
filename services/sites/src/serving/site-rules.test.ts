import { gzipSync } from 'node:zlib';
import { bodyOf, FakePublisher, type TestFile } from '../testing/fake-publisher.ts';
import { serveSites } from '../testing/served-sites.ts';

const text = (content: string, type = 'text/plain; charset=utf-8'): TestFile => ({ content, type });
const files = {
  'index.html': { content: '<h1>Home</h1>' },
  'about.html': { content: 'About' },
  'app/index.html': { content: 'App' },
  'docs/index.html': { content: 'Docs' },
  'de/404.html': { content: 'Fehlt' },
  '404.html': { content: 'Missing' },
  'cafe\u0301.html': { content: 'Café' },
  'bilder/fu\u0308r.txt': text('für'),
  'assets/index-BmZ3xk9L.js': text('new', 'text/javascript; charset=utf-8'),
  'assets/inter.woff2': { content: Buffer.from([1]), type: 'font/woff2' },
  'logo.png': { content: Buffer.from([1, 2, 3]), type: 'image/png' },
  'plan.svgz': { content: gzipSync('<svg/>'), type: 'image/svg+xml' },
  _redirects: text(
    [
      '/about /elsewhere 301',
      '/docs /about 302!',
      '/old/* /about 301',
      '/out https://other.test/x 302',
      '/hidden /app 404',
      '/app/* /app 200',
    ].join('\n'),
  ),
  _headers: text(
    '/*\n  X-Frame-Options: DENY\n  ETag: "x"\n/logo.png\n  Cache-Control: public, max-age=60\n  Content-Type: image/x\n/about\n  X-About: yes\n',
  ),
} satisfies Record<string, TestFile>;

const published = new FakePublisher();
let sites: Awaited<ReturnType<typeof serveSites>>;
beforeAll(async () => {
  published.publish('shop', files, { earlier: { 'assets/index-AmZ3xk9K.js': text('old', 'text/javascript; charset=utf-8') } });
  published.publish('spa', { 'index.html': files['index.html'], _redirects: text('/* /index.html 200') });
  published.publish('plain', { 'index.html': files['index.html'] });
  published.draft('a'.repeat(26), files);
  sites = await serveSites(published);
});
afterAll(() => sites[Symbol.asyncDispose]());

const shown = async (path: string, host = 'shop') => {
  const { status, headers, body } = await sites.visit(path, { host: `${host}.${host.length === 26 ? 'preview' : 'sites'}.test` });
  return [status, headers.location ?? body.toString()];
};

test.each([
  ['/orders/7', [200, '<h1>Home</h1>'], 'spa'],
  ['/', [200, '<h1>Home</h1>'], 'spa'],
  ['/orders/7', [404, expect.stringContaining('Page not found')], 'plain'],
  ['/app/x/y', [200, 'App'], 'shop'],
  ['/old/a?b=c', [301, '/about?b=c'], 'shop'],
  ['/out', [302, 'https://other.test/x'], 'shop'],
  ['/hidden', [404, 'App'], 'shop'],
  ['/about', [200, 'About'], 'shop'],
  ['/docs/', [302, '/about'], 'shop'],
] as const)('%s is answered by the rules of its site: %j', async (path, expected, host) => {
  expect(await shown(path, host)).toEqual(expected);
});

test('the files with the rules are settings: nobody gets them', async () => {
  for (const path of ['/_redirects', '/_headers']) expect((await shown(path))[0]).toBe(404);
});

test.each([
  ['/de/x/y', 'Fehlt'],
  ['/de/', 'Fehlt'],
  ['/en/x', 'Missing'],
  [`/de${'/a'.repeat(4_000)}`, 'Fehlt'],
])('the 404 page of %s is the nearest one', async (path, body) => {
  expect(await shown(path)).toEqual([404, body]);
});

test.each([
  ['/caf%C3%A9', 'Café'],
  ['/cafe%CC%81', 'Café'],
  ['/bilder/f%C3%BCr.txt', 'für'],
  ['/bilder/fu%CC%88r.txt', 'für'],
])('%s finds its file in either Unicode form', async (path, body) => {
  expect(await shown(path)).toEqual([200, body]);
});

test('what the deploy before had under a name with a hash is still there, before any rule for all paths', async () => {
  expect(await shown('/assets/index-AmZ3xk9K.js')).toEqual([200, 'old']);
  expect(await shown('/assets/index-BmZ3xk9L.js')).toEqual([200, 'new']);
});

test('names with a hash are kept for a year, everything else is revalidated; other sites may load all but pages', async () => {
  const metadata = async (path: string) => {
    const { headers } = await sites.visit(path, { host: path === '/' ? 'plain.sites.test' : 'shop.sites.test' });
    return [headers['cache-control'], headers['access-control-allow-origin']];
  };
  expect(await metadata('/assets/index-BmZ3xk9L.js')).toEqual(['public, max-age=31536000, immutable', '*']);
  expect(await metadata('/assets/inter.woff2')).toEqual(['public, max-age=0, must-revalidate', '*']);
  expect(await metadata('/')).toEqual(['public, max-age=0, must-revalidate', undefined]);
});

test('an .svgz says that it is compressed', async () => {
  const { headers, body } = await sites.visit('/plan.svgz');
  expect([headers['content-encoding'], headers['content-type'], body.equals(bodyOf(files['plan.svgz']))]).toEqual([
    'gzip',
    'image/svg+xml',
    true,
  ]);
});

test('headers of the site come with files, 304 and its 404 page, in place of those of the platform but its own', async () => {
  const logo = await sites.visit('/logo.png');
  expect(logo.headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'public, max-age=60', 'content-type': 'image/x' });
  expect(logo.headers).toMatchObject({ etag: expect.stringMatching(/^"[0-9a-f]{64}"$/), 'x-content-type-options': 'nosniff' });
  const known = await sites.visit('/logo.png', { headers: { 'if-none-match': logo.headers.etag ?? '' } });
  expect([known.status, known.headers['cache-control'], known.body.byteLength]).toEqual([304, 'public, max-age=60', 0]);
  expect((await sites.visit('/about')).headers).toMatchObject({ 'x-about': 'yes', 'x-frame-options': 'DENY' });
  expect((await sites.visit('/nothing')).headers['x-frame-options']).toBe('DENY');
  const head = await sites.visit('/logo.png', { method: 'HEAD' });
  expect({ ...head.headers, date: '' }).toEqual({ ...logo.headers, date: '' });
});

test('a page that a rule shows is revalidated by its ETag, and HEAD is as GET', async () => {
  const page = await sites.visit('/orders/7', { host: 'spa.sites.test' });
  const headers = { 'if-none-match': page.headers.etag ?? '' };
  expect((await sites.visit('/orders/8', { host: 'spa.sites.test', headers })).status).toBe(304);
  const head = await sites.visit('/orders/7', { host: 'spa.sites.test', method: 'HEAD' });
  expect([head.status, head.headers['content-length']]).toEqual([200, page.headers['content-length']]);
});

test('a preview follows the redirects of its draft; its headers could forbid the frame that it is shown in', async () => {
  const draft = 'a'.repeat(26);
  expect(await shown('/app/x', draft)).toEqual([200, 'App']);
  expect(await shown('/old/a', draft)).toEqual([301, '/about']);
  expect((await sites.visit('/about', { host: `${draft}.preview.test` })).headers['x-frame-options']).toBeUndefined();
});
