import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectStore, disconnectStore } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import { storeImage } from '../preview-images/preview-image-store.ts';
import { FakePublisher } from '../testing/fake-publisher.ts';
import { serveSites } from '../testing/served-sites.ts';
import { visit } from '../testing/visit.ts';
import { servePreviewImage } from './preview-image-visits.ts';

describe('previews', () => {
  const token = 'abcdefghijklmnopqrstuvwx27';
  const host = `${token}.preview.test`;
  const hostOf = (letter: string) => `${letter.repeat(26)}.preview.test`;
  const page = { content: '<a href="https://elsewhere.example/">out</a>' };

  const published = new FakePublisher();
  let sites: Awaited<ReturnType<typeof serveSites>>;
  beforeAll(async () => {
    published.draft(token, {
      'index.html': page,
      'about.html': { content: 'About' },
      '404.html': { content: 'Not here' },
      'docs/index.html': page,
    });
    published.publish('shop', { 'index.html': page });
    sites = await serveSites(published);
  });
  afterAll(() => sites[Symbol.asyncDispose]());

  test('a preview serves the draft like a site: clean URLs, ranges, validators, its own 404 page', async () => {
    const { status, headers, body } = await sites.visit('/', { host });
    expect([status, body.toString()]).toEqual([200, page.content]);
    expect((await sites.visit('/about', { host })).body.toString()).toBe('About');
    expect((await sites.visit('/docs', { host })).headers.location).toBe('/docs/');
    expect((await sites.visit('/', { host, headers: { 'if-none-match': headers.etag ?? '' } })).status).toBe(304);
    expect((await sites.visit('/', { host, headers: { range: 'bytes=0-1' } })).body.toString()).toBe('<a');
    expect((await sites.visit('/', { host, method: 'HEAD' })).headers['content-length']).toBe(String(page.content.length));
    const missing = await sites.visit('/nothing', { host });
    expect([missing.status, missing.body.toString()]).toEqual([404, 'Not here']);
  });

  test.each(['/', '/about', '/docs', '/nothing', '/../x'])('%s keeps the address of the preview secret', async (path) => {
    const { headers } = await sites.visit(path, { host });
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex, nofollow' });
  });

  test("a draft is cached by the visitor's own browser only, and revalidated each time", async () => {
    const { headers } = await sites.visit('/', { host });
    expect(headers['cache-control']).toBe('private, no-cache');
    const again = await sites.visit('/', { host, headers: { 'if-none-match': headers.etag ?? '' } });
    expect([again.status, again.headers['cache-control'], again.headers['referrer-policy']]).toEqual([
      304,
      'private, no-cache',
      'no-referrer',
    ]);
  });

  test('a published site has none of these headers', async () => {
    const { headers } = await sites.visit('/');
    expect([headers['referrer-policy'], headers['x-robots-tag'], headers['cache-control']]).toEqual([
      undefined,
      undefined,
      'public, max-age=0, must-revalidate',
    ]);
  });

  test('a change of the draft shows without an event', async () => {
    const changing = hostOf('c');
    published.draft('c'.repeat(26), { 'index.html': { content: 'before' } });
    expect((await sites.visit('/', { host: changing })).body.toString()).toBe('before');
    published.draft('c'.repeat(26), { 'index.html': { content: 'after' } });
    await until(async () => (await sites.visit('/', { host: changing })).body.toString() === 'after');
  });

  test('an empty project serves a page that says so', async () => {
    published.draft('e'.repeat(26), {});
    const { status, body } = await sites.visit('/', { host: hostOf('e') });
    expect(status).toBe(404);
    expect(body.toString()).toContain('Nothing here yet');
  });

  test.each([
    ['that was never issued', hostOf('n')],
    ['that has expired', hostOf('o')],
  ])('a token %s gets a page that says how long a preview lasts', async (_, host) => {
    published.draft('o'.repeat(26), { 'index.html': page }, { endsInMs: -1 });
    const { status, headers, body } = await sites.visit('/', { host });
    expect([status, headers['cache-control'], headers['referrer-policy']]).toEqual([404, 'no-store', 'no-referrer']);
    expect(body.toString()).toContain('lasts for an hour');
  });

  test.each(['preview.test', 'short.preview.test', `${token}1.preview.test`, `${'1'.repeat(26)}.preview.test`, `a.${host}`])(
    'the host %s is not a preview, and is not looked up',
    async (host) => {
      const before = published.lookups.length;
      const { status, body } = await sites.visit('/', { host });
      expect(status).toBe(404);
      expect(body.toString()).toContain('There is no site here');
      expect(published.lookups.length).toBe(before);
    },
  );

  test('a token is not a site name, and a site name not a token', async () => {
    expect((await sites.visit('/', { host: `${token}.sites.test` })).status).toBe(404);
    expect((await sites.visit('/', { host: 'shop.preview.test' })).status).toBe(404);
  });

  test("a suspended client's draft is not served", async () => {
    published.draft('s'.repeat(26), { 'index.html': page }, { suspended: true });
    expect((await sites.visit('/', { host: hostOf('s') })).status).toBe(503);
  });

  test('a form sent from a preview is refused with the reason', async () => {
    const { status, headers, body } = await sites.visit('/_forms/contact', { host, method: 'POST' });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    expect(body.toString()).toContain('Forms work once the site is published');
  });

  test('without projects-templates, a preview that is not cached is 503 with Retry-After', async () => {
    published.beforeReply = () => Promise.reject(new Error('down'));
    const { status, headers } = await sites.visit('/', { host: hostOf('d') });
    published.beforeReply = async () => undefined;
    expect([status, headers['retry-after'], headers['referrer-policy']]).toEqual([503, '2', 'no-referrer']);
  });

  const inFrame = { 'sec-fetch-dest': 'iframe' };
  const tag = '<script src="/_webkiln/preview.js" data-builder="https://app.test"></script>';

  test('pages in a frame get the script of the builder after their own bytes, and are revalidated as such', async () => {
    const { status, headers, body } = await sites.visit('/', { host, headers: { ...inFrame, range: 'bytes=0-1' } });
    expect([status, body.toString()]).toEqual([200, `${page.content}${tag}`]);
    expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Sec-Fetch-Dest', 'referrer-policy': 'no-referrer' });
    const known = { 'if-none-match': headers.etag ?? '' };
    expect((await sites.visit('/', { host, headers: { ...inFrame, ...known } })).status).toBe(304);
    expect((await sites.visit('/', { host, headers: known })).body.toString()).toBe(page.content);
    const missing = await sites.visit('/nothing', { host, headers: inFrame });
    expect([missing.status, missing.body.toString()]).toEqual([404, `Not here${tag}`]);
  });

  test('the script is served on previews alone, and pages of published sites in a frame keep their bytes', async () => {
    const script = await sites.visit('/_webkiln/preview.js', { host });
    expect([script.status, script.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(script.body.toString()).toContain('dataset.builder');
    const again = await sites.visit('/_webkiln/preview.js', { host, headers: { 'if-none-match': script.headers.etag ?? '' } });
    expect(again.status).toBe(304);
    expect((await sites.visit('/_webkiln/preview.js')).status).toBe(404);
    expect((await sites.visit('/', { headers: inFrame })).body.toString()).toBe(page.content);
  });
});

describe('preview image visits', () => {
  useTestStore();

  const server = createServer(servePreviewImage);
  let port: number;
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());

  const [project, deploy] = [randomUUID(), randomUUID()];
  const [image, small] = [Buffer.from('\x89PNG and so on', 'latin1'), Buffer.from('RIFF and so on')];
  const request = (path = `/${project}/${deploy}.png`, more: Parameters<typeof visit>[2] = {}) => visit(port, path, more);
  const older = randomUUID();
  beforeAll(async () => {
    const stored = { project_id: project, image, live_at: new Date() };
    await storeImage({ org_id: randomUUID() }, deploy, { ...stored, small });
    await storeImage({ org_id: randomUUID() }, older, stored);
  });

  test('200: the image, cacheable forever and embeddable anywhere', async () => {
    const { status, headers, body } = await request();
    expect([status, body]).toEqual([200, image]);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      etag: `"${deploy}.png"`,
    });
    const { headers: sameHeaders, ...head } = await request(undefined, { method: 'HEAD' });
    expect(head).toEqual({ status: 200, body: Buffer.alloc(0) });
    expect(sameHeaders['content-length']).toBe(String(image.byteLength));
  });

  test.each([
    ['the small image', deploy, small, 'image/webp'],
    ['the image of a deploy that is older than small ones', older, image, 'image/png'],
  ])('200: %s is at .webp', async (_, of, content, type) => {
    const { status, headers, body } = await request(`/${project}/${of}.webp`);
    expect([status, body, headers['content-type'], headers.etag]).toEqual([200, content, type, `"${of}.webp"`]);
  });

  test('304: a matching ETag gets no content', async () => {
    const { status, body } = await request(undefined, { headers: { 'if-none-match': `"${deploy}.png"` } });
    expect([status, body.byteLength]).toEqual([304, 0]);
  });

  test.each([
    `/${project}/${randomUUID()}.png`,
    `/${deploy}/${project}.png`,
    `/${project}/${deploy}`,
    `/${project}/${deploy}.png/`,
    `/${project}/..%2f${deploy}.png`,
    `//${project}/${deploy}.png`,
    '/',
    '/constructor/prototype.png',
  ])('404: %s', async (path) => {
    const { status, headers } = await request(path, { headers: { 'if-none-match': '*' } });
    expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
  });

  test('405: methods other than GET and HEAD', async () => {
    const { status, headers } = await request(undefined, { method: 'POST' });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('preview images away', () => {
  test('503: the store is unavailable', async () => {
    await connectStore(process.env.MONGODB_URL ?? '', 'away');
    await disconnectStore();
    const server = createServer(servePreviewImage);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const { status, headers } = await visit((server.address() as AddressInfo).port, `/${randomUUID()}/${randomUUID()}.png`);
      expect([status, headers['retry-after']]).toEqual([503, '2']);
    } finally {
      server.close();
    }
  });
});
