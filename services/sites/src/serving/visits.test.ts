import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { until } from '@webkiln/store/testing';
import { bodyOf, FakePublisher, shaOf, type TestFile } from '../testing/fake-publisher.ts';
import { serveSites } from '../testing/served-sites.ts';
import { visit } from '../testing/visit.ts';

describe('visits', () => {
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
});

describe('hostile visits', () => {
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
});

describe('large files', () => {
  const mb = 1024 * 1024;
  const film: TestFile = { content: randomBytes(20 * mb + 1), type: 'video/mp4' };
  const text: TestFile = { content: randomBytes(2 * mb).toString('hex'), type: 'text/plain', prepared: true };
  const parts = 41;

  type Sites = Awaited<ReturnType<typeof serveSites>>;

  /** Publishes the files and counts the parts that are loaded of them. Caches nothing. */
  async function served(bounds: { unsentBytes?: number; unsentBytesPerNetwork?: number } = {}) {
    const published = new FakePublisher();
    published.publish('shop', { 'index.html': { content: 'Home' }, 'film.mp4': film, 'text.txt': text });
    const sites = await serveSites(published, { cacheBytes: 1, ...bounds });
    // The first look-up has a deadline, which a busy machine may miss; the outcome is kept.
    await until(async () => (await sites.visit('/')).status === 200);
    published.loaded.length = 0;
    return { published, sites };
  }

  /** Asks for the film and reads nothing of it. */
  async function unread({ port }: Sites, network = '198.51.100.1'): Promise<IncomingMessage> {
    const headers = { host: 'shop.sites.test', 'x-webkiln-client-address': network };
    const sent = request({ host: '127.0.0.1', port, path: '/film.mp4', headers, agent: false }).end();
    const [response] = await once(sent, 'response');
    return response.on('error', () => undefined);
  }

  test('a large file is byte-equal, as a whole, in ranges, compressed, and for a reader that pauses', async () => {
    const { sites } = await served();
    await using _ = sites;
    const whole = await sites.visit('/film.mp4');
    expect([whole.status, whole.headers['content-length'], whole.body.equals(bodyOf(film))]).toEqual([200, String(20 * mb + 1), true]);
    for (const [range, start, end] of [
      ['bytes=5-', 5, 20 * mb],
      ['bytes=524287-524288', 524_287, 524_288],
      ['bytes=-1', 20 * mb, 20 * mb],
    ] as const) {
      const { status, headers, body } = await sites.visit('/film.mp4', { headers: { range } });
      expect([status, headers['content-range']]).toEqual([206, `bytes ${start}-${end}/${20 * mb + 1}`]);
      expect(body.equals(bodyOf(film).subarray(start, end + 1))).toBe(true);
    }
    const zipped = await sites.visit('/text.txt', { headers: { 'accept-encoding': 'gzip' } });
    expect([zipped.headers['content-encoding'], gunzipSync(zipped.body).equals(bodyOf(text))]).toEqual(['gzip', true]);
    const slow = await unread(sites);
    const received: Buffer[] = [];
    for await (const chunk of slow) {
      received.push(chunk);
      if (received.length % 50 === 0) await pause(1);
    }
    expect(Buffer.concat(received).equals(bodyOf(film))).toBe(true);
  });

  test('HEAD of a large file loads only its first part', async () => {
    const { published, sites } = await served();
    await using _ = sites;
    const { status, headers, body } = await sites.visit('/film.mp4', { method: 'HEAD' });
    expect([status, headers['content-length'], body.byteLength]).toEqual([200, String(20 * mb + 1), 0]);
    expect(published.loaded.length).toBe(1);
  });

  test('of a file that nobody reads, only what the connection holds is loaded, and others are served', async () => {
    const { published, sites } = await served();
    await using _ = sites;
    const reader = await unread(sites);
    // Takes longer than all that the reader could have been sent meanwhile.
    expect((await sites.visit('/film.mp4')).body.equals(bodyOf(film))).toBe(true);
    expect((await sites.visit('/')).status).toBe(200);
    expect(published.loaded.length).toBeLessThan(2 * parts - 10);
    reader.destroy();
  });

  test('a file whose part cannot be loaded is cut off, never complete', async () => {
    const { published, sites } = await served();
    await using _ = sites;
    const reader = await unread(sites);
    published.forget(film);
    await expect(reader.toArray()).rejects.toThrow('aborted');
  });

  test('readers of large files have a bound in all and per network; small files have none, and a reader that leaves makes room', async () => {
    const { sites } = await served({ unsentBytes: 3 * mb, unsentBytesPerNetwork: 2 * mb });
    await using _ = sites;
    const statusOf = async (network: string) => (await unread(sites, network)).statusCode;
    const first = await unread(sites);
    expect([first.statusCode, await statusOf('198.51.100.1'), await statusOf('198.51.100.1')]).toEqual([200, 200, 503]);
    expect([await statusOf('198.51.100.2'), await statusOf('198.51.100.2')]).toEqual([200, 503]);
    const refused = await unread(sites);
    expect(refused.headers['retry-after']).toBe('2');
    expect((await sites.visit('/')).status).toBe(200);
    first.destroy();
    await until(async () => (await statusOf('198.51.100.1')) === 200);
  });
});

describe('representations', () => {
  const page = { content: '<p>Bread and pastry</p>'.repeat(100), prepared: true };
  const film = { content: Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 256)), type: 'video/mp4' };
  const sha = shaOf(page);

  const published = new FakePublisher();
  let sites: Awaited<ReturnType<typeof serveSites>>;
  beforeAll(async () => {
    published.publish('shop', { 'index.html': page, 'film.mp4': film });
    sites = await serveSites(published);
  });
  afterAll(() => sites[Symbol.asyncDispose]());

  const asks = (path: string, headers: Record<string, string>) => sites.visit(path, { headers });

  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['gzip;q=0, br;q=0.001', 'br'],
    ['*', 'br'],
    ['BR', 'br'],
    ['br;q=0, *;q=0.5', 'gzip'],
    ['x-unknown', undefined],
    ['identity', undefined],
    ['identity, br;q=0.9', undefined],
    ['br;q=0, gzip;q=0', undefined],
    ['identity;q=0, *;q=0', undefined],
    ['', undefined],
  ])('Accept-Encoding "%s" gets %s', async (accepted, encoding) => {
    const { status, headers, body } = await asks('/', { 'accept-encoding': accepted });
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, encoding, 'Accept-Encoding']);
    const plain = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body;
    expect(plain).toEqual(bodyOf(page));
    expect(headers.etag).toBe(encoding === undefined ? `"${sha}"` : `"${sha}-${encoding}"`);
  });

  test('without Accept-Encoding, or for a file without encodings, the content is not encoded', async () => {
    expect((await asks('/', {})).headers['content-encoding']).toBeUndefined();
    const { headers } = await asks('/film.mp4', { 'accept-encoding': 'br' });
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
  });

  test.each([`"${sha}"`, `W/"${sha}"`, `"other", "${sha}"`, '*'])('If-None-Match %s matches: 304', async (known) => {
    const { status, headers, body } = await asks('/', { 'if-none-match': known });
    expect([status, body.byteLength, headers.etag, headers.vary]).toEqual([304, 0, `"${sha}"`, 'Accept-Encoding']);
    expect(headers['cache-control']).toBe('public, max-age=0, must-revalidate');
  });

  test.each([`"${sha}-br"`, '"other"', `${sha}`, ''])('If-None-Match %s does not match: 200', async (known) => {
    expect((await asks('/', { 'if-none-match': known })).status).toBe(200);
  });

  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    ['bytes=990-', 990, 999],
    ['bytes=-10', 990, 999],
    ['bytes=0-5000', 0, 999],
    ['bytes=-5000', 0, 999],
  ])('Range %s gets that part: 206', async (range, start, end) => {
    const { status, headers, body } = await asks('/film.mp4', { range });
    expect([status, headers['content-range']]).toEqual([206, `bytes ${start}-${end}/1000`]);
    expect(body).toEqual(film.content.subarray(start, end + 1));
    expect(headers['content-length']).toBe(String(end - start + 1));
  });

  test.each(['bytes=1000-', 'bytes=1000-2000', 'bytes=-0'])('Range %s lies outside: 416', async (range) => {
    const { status, headers } = await asks('/film.mp4', { range });
    expect([status, headers['content-range']]).toEqual([416, 'bytes */1000']);
  });

  test.each(['bytes=0-1,5-6', 'bytes=a-b', 'bytes=', 'bytes', 'lines=0-1', 'bytes=9-1'])('Range %s is ignored: 200', async (range) => {
    const { status, body } = await asks('/film.mp4', { range });
    expect([status, body.byteLength]).toEqual([200, 1000]);
  });

  test('If-Range gets a part only if the ETag matches strongly', async () => {
    const { headers } = await asks('/film.mp4', {});
    expect((await asks('/film.mp4', { range: 'bytes=0-1', 'if-range': headers.etag ?? '' })).status).toBe(206);
    for (const other of ['"other"', `W/${headers.etag}`, new Date().toUTCString()]) {
      expect((await asks('/film.mp4', { range: 'bytes=0-1', 'if-range': other })).status).toBe(200);
    }
  });
});

describe('site rules', () => {
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
});
