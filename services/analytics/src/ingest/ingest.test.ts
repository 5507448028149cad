import { NatsServer } from '@webkiln/events/testing/nats-server';
import { generateSigningKey } from '@webkiln/rpc';
import { type ServiceProcess, startProcess } from '@webkiln/runtime/testing';
import { nextDayTimeoutMs, until, withinOneDay } from '@webkiln/store/testing';
import { bundledProgram } from '../../../../tools/dev-platform/src/platform/bundle.ts';
import { makeView } from '../testing/make-view.ts';
import { ask, browser, runIngest, viewsOn } from '../testing/running-ingest.ts';
import { decodeMessage, encodeMessage, encodeView, hashEventId } from '../views/view.ts';
import { AddressRateLimiter } from './address-rate-limiter.ts';
import { type CommitOutcome, GroupCommit } from './group-commit.ts';
import type { PublishResult, ViewsPublisher } from './views-publisher.ts';

describe('pixel handler', () => {
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
});

describe('address rate limiter', () => {
  const minute = 60_000;
  const start = 29_000_000 * minute;

  test('an address may send the configured number of views in a minute; refused views are not counted', () => {
    const limit = new AddressRateLimiter(100);
    expect(limit.consume('a', 60, start)).toBe(0);
    expect(limit.consume('a', 41, start + 1000)).toBe(59);
    expect(limit.consume('a', 40, start + 2000)).toBe(0);
    expect(limit.consume('a', 1, start + 59_900)).toBe(1);
    expect(limit.consume('b', 100, start + 59_900)).toBe(0);
  });

  test('a new minute does not reset the limit: views of the previous minute count in proportion', () => {
    const limit = new AddressRateLimiter(100);
    limit.consume('a', 100, start + minute - 1);
    expect(limit.consume('a', 1, start + minute)).toBe(60);
    expect(limit.consume('a', 50, start + minute + minute / 2)).toBe(0);
    expect(limit.consume('a', 1, start + minute + minute / 2)).toBe(30);
    expect(limit.consume('a', 100, start + 3 * minute)).toBe(0);
  });

  test('the wait that is returned is long enough', () => {
    const limit = new AddressRateLimiter(100);
    limit.consume('a', 100, start);
    const wait = limit.consume('a', 1, start + 10_000);
    expect(limit.consume('a', 100, start + 10_000 + (wait + 60) * 1000)).toBe(0);
  });
});

describe('group commit', () => {
  const view = (site: string, path = '/') => encodeView(makeView(site, { path }));

  /** A group commit whose published messages are recorded, and acknowledged when the test says so. */
  function testGroupCommit(options: { maxPendingBytes?: number } = {}) {
    const sent: { views: readonly string[]; answer: (published: PublishResult) => void }[] = [];
    const publisher = {
      isDisconnected: false,
      publish: (views: readonly string[]) => new Promise<PublishResult>((answer) => sent.push({ views: [...views], answer })),
    };
    const groupCommit = new GroupCommit({ publisher: publisher as unknown as ViewsPublisher, ...options });
    const outcomes: CommitOutcome[] = [];
    const add = (site: string, path?: string) => groupCommit.add(view(site, path), { settle: (outcome) => void outcomes.push(outcome) });
    return { sent, outcomes, add, publisher };
  }

  const nextTick = () => new Promise((resolve) => setImmediate(resolve));

  test('views of one event-loop tick share one message, whatever their site, and none is answered before the message is acknowledged', async () => {
    const { sent, outcomes, add } = testGroupCommit();
    const sites = ['shop', 'other', 'shop', 'third'];
    for (const site of sites) add(site);
    expect(sent).toHaveLength(0);
    await nextTick();
    expect(sent.map(({ views }) => decodeMessage(encodeMessage(views)).map(({ site }) => site))).toEqual([sites]);
    expect(outcomes).toEqual([]);
    sent[0]?.answer('stored');
    await nextTick();
    expect(outcomes).toEqual(Array(4).fill('stored'));
  });

  test('only one message is in flight; views that arrive meanwhile go into the next', async () => {
    const { sent, outcomes, add } = testGroupCommit();
    add('shop');
    await nextTick();
    for (const site of ['shop', 'other', 'shop', 'third', 'shop']) {
      add(site);
      await nextTick();
    }
    expect(sent).toHaveLength(1);
    sent[0]?.answer('unavailable');
    await nextTick();
    expect(sent.map(({ views }) => views.length)).toEqual([1, 5]);
    expect(outcomes).toEqual(['unavailable']);
    sent[1]?.answer('stored');
    await nextTick();
    add('shop');
    await nextTick();
    expect(sent.map(({ views }) => views.length)).toEqual([1, 5, 1]);
  });

  test('a message holds at most 512 KB and never splits the views of one request', async () => {
    const { sent, outcomes, add } = testGroupCommit();
    for (let count = 0; count < 12; count++) add('shop', `/${'x'.repeat(100_000)}`);
    for (let message = 0; message < 3; message++) {
      await until(() => sent.length === message + 1);
      sent[message]?.answer('stored');
    }
    await nextTick();
    expect(sent.map(({ views }) => views.length)).toEqual([5, 5, 2]);
    for (const { views } of sent) expect(decodeMessage(encodeMessage(views))).toHaveLength(views.length);
    expect(outcomes).toEqual(Array(12).fill('stored'));
  });

  test('pending views are limited in bytes: excess views are refused at once, and accepted again when there is room', async () => {
    const { sent, outcomes, add } = testGroupCommit({ maxPendingBytes: 50_000 });
    for (let count = 0; count < 20; count++) add('shop');
    const refused = outcomes.length;
    expect(outcomes).toEqual(Array(refused).fill('overloaded'));
    expect(20 - refused).toBe(Math.floor(50_000 / (4096 + view('shop').length + 1)));
    await nextTick();
    sent[0]?.answer('stored');
    await nextTick();
    add('shop');
    await nextTick();
    expect(sent).toHaveLength(2);
  });

  test('nothing waits while NATS is disconnected', () => {
    const { outcomes, add, publisher } = testGroupCommit();
    publisher.isDisconnected = true;
    add('shop');
    expect(outcomes).toEqual(['unavailable']);
  });
});

describe('hostile input', () => {
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

  test.each(['sites.test', 'a.shop.sites.test', '192.0.2.1', 'localhost', '-.sites.test', ''])(
    'the host "%s" has no site',
    async (host) => {
      expect((await ingest.ask('/t.gif?p=/', { host })).status).toBe(404);
      expect((await ingest.ask('/t.js', { host })).status).toBe(404);
    },
  );

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
});

describe('outage', () => {
  const codeOf = (body: Buffer) => JSON.parse(body.toString()).code;

  test('without NATS views are refused with Retry-After, and accepted once it is up', async () => {
    const nats = await NatsServer.notYetStarted();
    await using _removed = { [Symbol.asyncDispose]: () => nats.remove() };
    await using ingest = await runIngest({ natsUrl: nats.url });
    for (const refused of [await ingest.ask('/t.gif?p=/'), await ingest.collect([{ path: '/' }])]) {
      expect([refused.status, refused.headers['retry-after'], codeOf(refused.body)]).toEqual([503, '2', 'unavailable']);
    }
    expect((await ingest.ask('/t.js')).status).toBe(200);
    await nats.start();
    await ingest.ready();
    await nats.kill();
    await until(async () => (await ingest.ask('/t.gif?p=/away')).status === 503);
    nats.empty();
    await nats.start();
    await ingest.ready();
    expect((await ingest.views()).length).toBeGreaterThan(0);
  });

  test('a NATS that hangs does not make clients wait for long, and a message that it takes late is stored once', async () => {
    const nats = await NatsServer.notYetStarted();
    await using _removed = { [Symbol.asyncDispose]: () => nats.remove() };
    await nats.start();
    await using ingest = await runIngest({ natsUrl: nats.url });
    await ingest.ready();
    await nats.pause();
    const refused = await ingest.collect([{ id: 'late', path: '/late' }]);
    nats.continue();
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '2']);
    await ingest.ready();
    expect((await ingest.views()).filter(({ path }) => path === '/late').length).toBeLessThan(2);
  });

  test('a full stream accepts no view, keeps its views, and no refused view is confirmed', async () => {
    await using ingest = await runIngest({ maxBytes: 64 * 1024 });
    await ingest.ready();
    let accepted = 0;
    const long = Array.from({ length: 50 }, () => ({ path: `/${'x'.repeat(500)}` }));
    let last = await ingest.collect(long);
    for (; last.status === 204; last = await ingest.collect(long)) accepted += 50;
    expect([last.status, last.headers['retry-after'], codeOf(last.body)]).toEqual([503, '2', 'unavailable']);
    expect(accepted).toBeGreaterThan(0);
    expect((await ingest.views()).filter(({ path }) => path.length > 100)).toHaveLength(accepted);
  });

  test('an address that exceeds its limit gets 429 with Retry-After; other addresses do not', async () => {
    await using ingest = await runIngest({ perAddress: 100 });
    await ingest.ready();
    const from = (address: string, views: number) =>
      ingest.collect(Array(views).fill({ path: '/' }), { headers: { 'x-webkiln-client-address': address } });
    const statuses: number[] = [];
    for (let request = 0; request < 6; request++) statuses.push((await from('192.0.2.1', 40)).status);
    expect(statuses.at(-1)).toBe(429);
    const refused = await from('192.0.2.1', 40);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(codeOf(refused.body)).toBe('rate_limited');
    expect((await from('192.0.2.2', 40)).status).toBe(204);
  });
});

describe('crash', () => {
  interface AnalyticsProcess extends Pick<ServiceProcess, 'kill' | 'stop'> {
    /** The port that accepts views. */
    readonly port: number;
    /** Sums up the metric lines that match. */
    sumMetric(metric: RegExp): Promise<number>;
  }

  const { publicKey, privateKey } = generateSigningKey();
  const unreachable = '127.0.0.1:9';

  /** Runs analytics' main.ts as a process without MongoDB and other services, and waits until it is ready. */
  async function startAnalytics(natsUrl: string): Promise<AnalyticsProcess> {
    const { ports, kill, stop } = await startProcess(await bundledProgram('services/analytics/src/main.ts'), {
      LOG_LEVEL: 'error',
      HTTP_PORT: '0',
      NATS_URL: natsUrl,
      MONGODB_URL: `mongodb://${unreachable}/?replicaSet=none`,
      PROJECTS_TEMPLATES_ADDRESS: unreachable,
      IDENTITY_ADDRESS: unreachable,
      PRINCIPAL_TRUSTED_KEYS: `gateway:${publicKey}`,
      PRINCIPAL_SIGNING_KEY: privateKey,
      SITES_ORIGIN: 'https://sites.test',
      VIEWS_PER_ADDRESS: '1000000',
    });
    const sumMetric = async (metric: RegExp) => {
      const lines = (await (await fetch(`http://127.0.0.1:${ports.internal}/metrics`)).text()).split('\n');
      return lines.filter((line) => metric.test(line)).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    };
    return { port: ports.http ?? 0, sumMetric, kill, stop };
  }

  let nats: NatsServer;
  beforeEach(async () => {
    nats = await NatsServer.notYetStarted();
    await nats.start();
  });
  afterEach(() => nats.remove());

  const isTaken = (port: number, id: string) =>
    ask(port, '/api/collect', { method: 'POST', body: JSON.stringify({ events: [{ id, path: '/' }] }) }).then(
      ({ status }) => status === 204,
      () => false,
    );

  /** Returns the id of the first accepted view. Each attempt has a new id: a refused view may be stored. */
  async function firstTaken(port: number): Promise<string> {
    let tries = 0;
    await until(() => isTaken(port, `first ${++tries}`));
    return `first ${tries}`;
  }

  /** Sends views from 32 visitors until the server stops responding. Adds accepted ids to `accepted`. */
  async function sendUntilDead(port: number, accepted: string[]): Promise<void> {
    let next = 0;
    const visitor = async () => {
      for (let misses = 0; misses < 3; ) {
        const id = `event ${next++}`;
        if (await isTaken(port, id)) accepted.push(id);
        else misses += 1;
      }
    };
    await Promise.all(Array.from({ length: 32 }, visitor));
  }

  test('kill -9 of ingest loses no accepted view, without MongoDB and other services', async () => {
    const ingest = await startAnalytics(nats.url);
    const accepted = [await firstTaken(ingest.port)];
    const sending = sendUntilDead(ingest.port, accepted);
    await until(() => accepted.length > 500);
    await ingest.kill();
    await sending;
    const marks = (await viewsOn('VIEWS', nats.url)).map(({ event }) => event);
    expect(new Set(marks).size).toBe(marks.length);
    const stored = new Set(marks);
    expect(accepted.filter((id) => !stored.has(hashEventId('shop', id)))).toEqual([]);
  });

  test('kill -9 of NATS loses no accepted view; none is accepted meanwhile, and ingest recovers by itself', async () => {
    const ingest = await startAnalytics(nats.url);
    const accepted = [await firstTaken(ingest.port)];
    let over = false;
    let refused = 0;
    let next = 0;
    const visitor = async () => {
      while (!over) {
        const id = `event ${next++}`;
        if (await isTaken(ingest.port, id)) accepted.push(id);
        else refused += 1;
      }
    };
    const visitors = Promise.all(Array.from({ length: 16 }, visitor));
    for (let kills = 0; kills < 2; kills++) {
      const before = accepted.length;
      await until(() => accepted.length > before + 200);
      await nats.kill();
      const missed = refused;
      await until(() => refused > missed + 10);
      await nats.start();
    }
    const before = accepted.length;
    await until(() => accepted.length > before + 200);
    over = true;
    await visitors;
    const stored = new Set((await viewsOn('VIEWS', nats.url)).map(({ event }) => event));
    expect(accepted.filter((id) => !stored.has(hashEventId('shop', id)))).toEqual([]);
    expect(await ingest.sumMetric(/^webkiln_views_accepted_total.*visitor/)).toBe(accepted.length);
    expect(await ingest.sumMetric(/^webkiln_view_requests_refused_total.*unavailable/)).toBeGreaterThan(0);
    expect(await ingest.stop()).toBe(0);
  });
});
