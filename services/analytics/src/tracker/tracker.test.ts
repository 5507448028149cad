import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { runIngest } from '../testing/running-ingest.ts';
import { TrackedPage } from '../testing/tracked-page.ts';
import { minified } from './minified.ts';

describe('tracker', () => {
  test('loading a page is one view, with its referrer', () => {
    const page = new TrackedPage({ referrer: 'https://news.example/today' });
    expect(page.sent).toHaveLength(1);
    expect(page.sent[0]?.events).toEqual([
      { id: expect.stringMatching(/^\w{10,100}$/), path: '/', referrer: 'https://news.example/today', at: expect.any(Number) },
    ]);
  });

  test('the first view of a page tells the campaign in its address, and the next ones do not', async () => {
    const page = new TrackedPage({ search: '?utm_source=letter&utm_medium=mail&utm_campaign=spring+fair' });
    await page.later();
    page.history.pushState(null, '', '/about');
    await page.later();
    const told = page.sent.flatMap(({ events }) => events);
    expect(told[0]).toMatchObject({ source: 'letter', medium: 'mail', campaign: 'spring fair' });
    expect(Object.keys(told[1] ?? {})).toEqual(['id', 'path', 'referrer', 'at']);
  });

  test('each navigation within a page is one view; changes of query or fragment, and the same path, are none', async () => {
    const page = new TrackedPage();
    page.history.pushState(null, '', '/about');
    await page.later();
    page.history.pushState(null, '', '/about?tab=2#top');
    page.history.replaceState(null, '', '/menu');
    await page.later();
    page.location.pathname = '/about';
    page.happens('popstate');
    page.happens('popstate');
    await page.later();
    expect(page.paths).toEqual(['/', '/about', '/menu', '/about']);
  });

  test('a page that loads the script twice counts once', async () => {
    const page = new TrackedPage();
    page.loadTracker();
    page.history.pushState(null, '', '/about');
    await page.later();
    expect(page.paths).toEqual(['/', '/about']);
  });

  test('a page restored from the back-forward cache is a view', async () => {
    const page = new TrackedPage();
    page.happens('pageshow', { persisted: false });
    await page.later();
    page.happens('pageshow', { persisted: true });
    await page.later();
    expect(page.paths).toEqual(['/', '/']);
  });

  test('a prerendered page is a view when it is shown, not before', () => {
    const page = new TrackedPage({ prerendering: true });
    page.history.pushState(null, '', '/about');
    expect(page.sent).toEqual([]);
    page.document.dispatchEvent(new Event('prerenderingchange'));
    expect(page.paths).toEqual(['/about']);
  });

  test.each([{ doNotTrack: '1' }, { globalPrivacyControl: true }])(
    'nothing is sent for visitors who ask not to be tracked: %j',
    (navigator) => {
      const page = new TrackedPage({ navigator });
      page.history.pushState(null, '', '/about');
      page.happens('pagehide');
      expect(page.sent).toEqual([]);
    },
  );

  test.each([undefined, 503, 429])('a request answered with %s is repeated with the same ids, at growing intervals', async (failure) => {
    let fails = true;
    const page = new TrackedPage({ status: () => (fails ? failure : 204) });
    const waits: number[] = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      await new Promise((resolve) => setImmediate(resolve));
      waits.push(...page.timers.map(({ ms }) => ms));
      await page.later();
    }
    expect(waits.slice(0, 4)).toEqual([2000, 4000, 8000, 16_000]);
    expect(Math.max(...waits)).toBe(60_000);
    fails = false;
    await page.later();
    await page.later();
    expect(new Set(page.sent.map(({ events }) => events[0]?.id)).size).toBe(1);
    expect(page.timers).toEqual([]);
  });

  test('a request that is rejected as invalid is not repeated', async () => {
    const page = new TrackedPage({ status: () => 400 });
    await page.later();
    expect([page.sent.length, page.timers.length]).toEqual([1, 0]);
  });

  test('unsent views are sent once when the page is left', async () => {
    const page = new TrackedPage({ status: () => undefined });
    await new Promise((resolve) => setImmediate(resolve));
    page.happens('pagehide');
    expect(page.sent.map(({ beacon }) => beacon)).toEqual([false, true]);
    expect(page.sent[1]?.events).toEqual(page.sent[0]?.events);
    await page.later();
    page.happens('pagehide');
    expect(page.sent).toHaveLength(2);
  });

  test('views of long addresses go in several requests, each small enough for browsers and the server, and none is lost', async () => {
    let fails = true;
    const page = new TrackedPage({ status: () => (fails ? undefined : 204) });
    const paths = ['/', ...Array.from({ length: 49 }, (_, number) => `/${number}/${'a'.repeat(2_000)}`)];
    for (const path of paths.slice(1)) page.history.pushState(null, '', path);
    await page.later();
    fails = false;
    const failed = page.sent.length;
    while (page.timers.length > 0) await page.later();
    const accepted = page.sent.slice(failed);
    expect(Math.max(...accepted.map(({ events }) => JSON.stringify({ events }).length))).toBeLessThan(64 * 1024);
    expect(accepted.flatMap(({ events }) => events.map(({ path }) => path))).toEqual(paths);
  });

  test('views are not kept longer than the server recognizes repeats', async () => {
    const page = new TrackedPage({ status: () => undefined });
    await new Promise((resolve) => setImmediate(resolve));
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 600_000);
    await page.later();
    jest.restoreAllMocks();
    expect([page.sent.length, page.timers.length]).toEqual([1, 0]);
  });
});

describe('send tracker', () => {
  let ingest: Awaited<ReturnType<typeof runIngest>>;
  beforeAll(async () => {
    ingest = await runIngest();
  });
  afterAll(() => ingest[Symbol.asyncDispose]());

  const plain = (body: Buffer) => body;

  test.each([
    ['identity', undefined, plain],
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ] as const)('a client that accepts "%s" gets the tracker as %s, in less than 2 KB', async (accepted, encoding, unpack) => {
    const { status, headers, body } = await ingest.ask('/t.js', { headers: { 'accept-encoding': accepted } });
    expect([status, headers['content-encoding'], headers['content-type']]).toEqual([200, encoding, 'text/javascript; charset=utf-8']);
    expect(unpack(body).toString()).toBe(minified);
    expect(body.byteLength).toBeLessThan(2048);
    expect([headers['cache-control'], headers.vary]).toEqual(['public, max-age=3600', 'Accept-Encoding']);
  });

  test('a client that has the tracker gets 304 for the same encoding; HEAD has no body', async () => {
    const { headers } = await ingest.ask('/t.js', { headers: { 'accept-encoding': 'br' } });
    const known = await ingest.ask('/t.js', { headers: { 'accept-encoding': 'br', 'if-none-match': headers.etag ?? '' } });
    expect([known.status, known.body.byteLength, known.headers.etag]).toEqual([304, 0, headers.etag]);
    expect((await ingest.ask('/t.js', { headers: { 'accept-encoding': 'gzip', 'if-none-match': headers.etag ?? '' } })).status).toBe(200);
    const head = await ingest.ask('/t.js', { method: 'HEAD' });
    expect([head.status, head.body.byteLength]).toEqual([200, 0]);
  });
});
