import { nextDayTimeoutMs, until, withinOneDay } from '@webkiln/store/testing';
import { browser, runIngest } from '../testing/running-ingest.ts';

const unpublished = new Set(['nothing']);
let ingest: Awaited<ReturnType<typeof runIngest>>;
beforeAll(async () => {
  ingest = await runIngest({ isPublished: async (name) => !unpublished.has(name) });
  await ingest.ready();
});
afterAll(() => ingest[Symbol.asyncDispose]());

/** Returns the views that were accepted while `work` ran. */
async function viewsOf(work: () => Promise<unknown>) {
  const before = (await ingest.views()).length;
  await work();
  return (await ingest.views()).slice(before);
}

test('GET /t.gif returns an uncacheable image of 43 bytes once its view is on the stream', async () => {
  const [view] = await viewsOf(async () => {
    const { status, headers, body } = await ingest.ask('/t.gif?p=%2Fabout');
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'image/gif', 'no-store']);
    expect([body.byteLength, headers['content-length'], body.toString('latin1', 0, 6)]).toEqual([43, '43', 'GIF89a']);
  });
  expect(view).toMatchObject({ site: 'shop', path: '/about', referrer: '', device: 'desktop', bot: false, event: '' });
  expect(view?.visitor).toMatch(/^[\w-]{16}$/);
});

test('POST /api/collect returns 204 once all of its views are on the stream', async () => {
  const events = [
    { id: 'one', path: '/docs/index.html', referrer: 'https://News.example:8443/today?x=1' },
    { id: 'two', path: '/%C3%BC', referrer: 'https://shop.sites.test/docs/' },
    { path: '/', referrer: '' },
  ];
  const views = await viewsOf(async () => {
    const { status, body, headers } = await ingest.collect(events, { headers: { 'content-type': 'text/plain' } });
    expect([status, body.byteLength, headers['cache-control']]).toEqual([204, 0, 'no-store']);
  });
  expect(views.map(({ path, referrer }) => [path, referrer])).toEqual([
    ['/docs/', 'news.example'],
    ['/ü', ''],
    ['/', ''],
  ]);
  expect(views.map(({ event }) => /^[\w-]{11}$/.test(event))).toEqual([true, true, false]);
  expect(new Set(views.map(({ event }) => event)).size).toBe(3);
});

test('a repeated event has the same mark; on another site it has another mark', async () => {
  const once = () => ingest.collect([{ id: 'same', path: '/' }]);
  const views = await viewsOf(async () => {
    await once();
    await once();
    await ingest.collect([{ id: 'same', path: '/' }], { host: 'other.sites.test' });
  });
  const [first, second, other] = views.map(({ event }) => event);
  expect(first).toBe(second);
  expect(first).not.toBe(other);
});

test('a pixel request that the gateway retries has the same mark', async () => {
  const requestPixel = (id: string) => ingest.ask('/t.gif?p=/', { headers: { 'x-webkiln-request-id': id } });
  const views = await viewsOf(async () => {
    for (const id of ['first', 'first', 'second']) await requestPixel(id);
  });
  const [first, again, second] = views.map(({ event }) => event);
  expect(first).toMatch(/^[\w-]{11}$/);
  expect(again).toBe(first);
  expect(second).not.toBe(first);
});

test('the country of an IPv4 address, the browser and the campaign go with a view; the address does not', async () => {
  const [address, campaign] = ['193.99.144.80', { source: ' letter ', medium: 'mail', campaign: 'x'.repeat(200) }];
  const [view] = await viewsOf(() => ingest.collect([{ path: '/', ...campaign }], { headers: { 'x-webkiln-client-address': address } }));
  expect(view).toMatchObject({ country: 'DE', source: 'letter', medium: 'mail', campaign: 'x'.repeat(100) });
  expect([view?.browser, view?.system].every((name) => name !== '')).toBe(true);
  expect(JSON.stringify(view)).not.toContain(address);
  const headers = { 'x-webkiln-client-address': '2001:db8:1:2::/64' };
  const [other] = await viewsOf(() => ingest.collect([{ path: '/' }], { headers }));
  expect(other?.country).toBe('');
});

beforeAll(() => withinOneDay(), nextDayTimeoutMs);

test('a visitor is identified by site, address and user agent', async () => {
  const from = (address: string, agent: string, host = 'shop.sites.test') =>
    ingest.ask('/t.gif?p=/', { host, headers: { 'x-webkiln-client-address': address, 'user-agent': agent } });
  const views = await viewsOf(async () => {
    for (const [address, agent, host] of [
      ['192.0.2.1', browser],
      ['192.0.2.1', browser],
      ['192.0.2.2', browser],
      ['192.0.2.1', `${browser} Edg/142.0.0.0`],
      ['192.0.2.1', browser, 'other.sites.test'],
      ['2001:db8:1:2::7', browser],
      ['2001:db8:1:2:3:4:5:6', browser],
      ['2001:db8:1:2::/64', browser],
    ] as const)
      await from(address, agent, host);
  });
  const marks = views.map(({ visitor }) => visitor);
  expect(marks.map((mark) => marks.indexOf(mark))).toEqual([0, 0, 2, 3, 4, 5, 5, 5]);
});

test.each<Record<string, string>>([{ dnt: '1' }, { 'sec-gpc': '1' }])(
  'visitors who ask not to be tracked (%j) get the usual response, and nothing is stored',
  async (headers) => {
    const views = await viewsOf(async () => {
      const gif = await ingest.ask('/t.gif?p=/private', { headers });
      const collected = await ingest.collect([{ path: '/private' }], { headers });
      expect([gif.status, gif.body.byteLength, collected.status]).toEqual([200, 43, 204]);
    });
    expect(views).toEqual([]);
  },
);

test('HEAD /t.gif responds like GET without a body, and counts nothing', async () => {
  const views = await viewsOf(async () => {
    const [get, head] = [await ingest.ask('/t.gif?p=/', { headers: { dnt: '1' } }), await ingest.ask('/t.gif?p=/', { method: 'HEAD' })];
    expect([head.status, head.body.byteLength]).toEqual([200, 0]);
    expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' });
  });
  expect(views).toEqual([]);
});

test.each([
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'mobile',
    false,
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'tablet',
    false,
  ],
  ['Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/538.1 (KHTML, like Gecko) Version/6.0 TV Safari/538.1', 'other', false],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'other', true],
  ['curl/8.5.0', 'other', true],
  ['', 'other', true],
  [browser, 'desktop', false],
  [`${browser} ${'x'.repeat(4000)}`, 'desktop', false],
])('the user agent "%.60s" is a %s, bot: %s', async (agent, device, bot) => {
  const [view] = await viewsOf(() => ingest.ask('/t.gif?p=/', { headers: { 'user-agent': agent } }));
  expect(view).toMatchObject({ bot, ...(bot ? {} : { device }) });
});

test.each([
  ['X11; Linux x86_64', 'desktop', 'Linux'],
  ['X11; Ubuntu; Linux aarch64; rv:127.0', 'desktop', 'Linux'],
  ['X11; CrOS x86_64 14541.0.0', 'desktop', 'Chrome OS'],
  ['X11; FreeBSD amd64; rv:127.0', 'desktop', 'FreeBSD'],
  ['X11; OpenBSD amd64; rv:127.0', 'desktop', 'OpenBSD'],
  ['X11; NetBSD amd64; rv:127.0', 'desktop', 'NetBSD'],
  ['X11; SunOS i86pc; rv:60.0', 'desktop', 'SunOS'],
  ['compatible; U; Haiku x86_64; en', 'desktop', 'Haiku'],
  ['Linux; Android 14; K', 'tablet', 'Android'],
  ['PlayStation; PlayStation 5/2.26', 'other', ''],
])('a browser on "%s" is a %s with %s', async (platform, device, system) => {
  const agent = `Mozilla/5.0 (${platform}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36`;
  const [view] = await viewsOf(() => ingest.ask('/t.gif?p=/', { headers: { 'user-agent': agent } }));
  expect(view).toMatchObject({ device, system, bot: false });
});

test.each([
  ['in a minute', (now: number) => now + 60_000, (now: number) => now],
  ['a year ago', () => 1, (now: number) => Math.max(now - 3600_000, now - (now % 86_400_000))],
  [
    'a second ago',
    (now: number) => Math.max(now - 1000, now - (now % 86_400_000)),
    (now: number) => Math.max(now - 1000, now - (now % 86_400_000)),
  ],
])('the time of a view that claims %s is limited by its arrival', async (_when, claimed, stored) => {
  const before = Date.now();
  const [view] = await viewsOf(() => ingest.collect([{ path: '/', at: claimed(before) }]));
  const after = Date.now();
  expect(view?.at).toBeGreaterThanOrEqual(stored(before));
  expect(view?.at).toBeLessThanOrEqual(stored(after));
});

test('a pixel without `p` counts the page that embeds it', async () => {
  const loadedFrom = (referer: string) => ingest.ask('/t.gif', { headers: { referer } });
  const views = await viewsOf(async () => {
    expect((await loadedFrom('https://shop.sites.test/docs/?a=b#c')).status).toBe(200);
    expect((await loadedFrom('https://SHOP.sites.test:443')).status).toBe(200);
    for (const referer of ['https://evil.example/docs', 'https://evil.example/https://shop.sites.test/', 'docs', '']) {
      expect((await loadedFrom(referer)).status).toBe(400);
    }
  });
  expect(views.map(({ path }) => path)).toEqual(['/docs/', '/']);
});

test('views of a name are refused while it is known to be unpublished', async () => {
  const requestPixel = () => ingest.ask('/t.gif?p=/', { host: 'nothing.sites.test' });
  await until(async () => (await requestPixel()).status === 404);
  expect(JSON.parse((await requestPixel()).body.toString()).code).toBe('site_not_found');
});

test.each([
  ['/t.gif', 'POST', 405, 'GET, HEAD'],
  ['/t.js', 'DELETE', 405, 'GET, HEAD'],
  ['/api/collect', 'GET', 405, 'POST'],
  ['/t.gif/', 'GET', 404, undefined],
  ['/', 'GET', 404, undefined],
])('%s by %s responds %s', async (path, method, status, allow) => {
  const answer = await ingest.ask(path, { method });
  expect([answer.status, answer.headers.allow]).toEqual([status, allow]);
  expect(JSON.parse(answer.body.toString())).toMatchObject({ error: expect.stringMatching(/\.$/), code: expect.any(String) });
});

test('a body of more than 64 KB is rejected, with and without Content-Length', async () => {
  const body = Buffer.alloc(64 * 1024 + 1, ' ');
  const lengths: Record<string, string>[] = [{ 'content-length': String(body.byteLength) }, { 'transfer-encoding': 'chunked' }];
  for (const headers of lengths) {
    expect((await ingest.ask('/api/collect', { method: 'POST', headers, body })).status).toBe(413);
  }
});
