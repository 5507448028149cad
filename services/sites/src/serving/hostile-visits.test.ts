import { FakePublisher } from '../testing/fake-publisher.ts';
import { serveSites } from '../testing/served-sites.ts';

const published = new FakePublisher();
let sites: Awaited<ReturnType<typeof serveSites>>;
beforeAll(async () => {
  published.publish('shop', {
    'index.html': { content: 'Home' },
    'docs/index.html': { content: 'Docs' },
    'a\u2028:b?#/index.html': { content: 'in' },
  });
  sites = await serveSites(published);
});
afterAll(() => sites[Symbol.asyncDispose]());

test.each([
  'nobody.sites.test',
  'sites.test',
  'a.shop.sites.test',
  'shop.sites.test.evil.example',
  'shopsites.test',
  '-.sites.test',
  'localhost',
  '',
])('the host "%s" has no site', async (host) => {
  const shown = await sites.visit('/', { host });
  expect(shown.status).toBe(404);
  expect(shown.body.toString()).toContain('There is no site here');
});

test.each(['SHOP.Sites.Test', 'shop.sites.test:8080', 'shop.sites.test.'])('the host "%s" is the site\'s', async (host) => {
  expect((await sites.visit('/', { host })).status).toBe(200);
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('%s is refused', async (method) => {
  const { status, headers } = await sites.visit('/', { method });
  expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
});

test.each([
  '/../index.html',
  '/docs/../../x',
  '/docs/./index.html',
  '/%2e%2e/index.html',
  '/..%2findex.html',
  '/docs%2Findex.html',
  '/docs%5cindex.html',
  '/docs\\index.html',
  '/%00',
  '/index.html%0d%0aX-Evil:1',
  '/%',
  '/%c0%ae%c0%ae/index.html',
  '/%ed%a0%80',
  '/..',
  'http://shop.sites.test/',
])('the path %s is refused', async (path) => {
  expect((await sites.visit(path)).status).toBe(400);
});

test.each(['//docs', '//evil.example/', '/docs//', '/constructor', '/__proto__', '/.html', '/index.html/'])(
  'the path %s is not found',
  async (path) => {
    const { status, headers } = await sites.visit(path);
    expect([status, headers.location]).toEqual([404, undefined]);
  },
);

test('the redirect to a folder with a hostile name stays on the site', async () => {
  const { headers } = await sites.visit('/a%E2%80%A8:b%3F%23');
  expect(headers.location).toBe('/a%E2%80%A8%3Ab%3F%23/');
  expect((await sites.visit(headers.location ?? '')).body.toString()).toBe('in');
});
