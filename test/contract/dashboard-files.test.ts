import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { sessionCookie } from '@webkiln/contract';
import { sharedPlatform } from '../harness/shared-platform.ts';

const origin = sharedPlatform().origins[0] ?? '';
const html = { accept: 'text/html,application/xhtml+xml' };

/** Loads a path without decompressing the body, as `fetch` would. */
async function load(path: string, headers: Record<string, string> = {}) {
  const { request } = await import('undici');
  const answer = await request(`${origin}${path}`, { headers });
  const body = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: answer.headers, body };
}

const page = async () => (await load('/', html)).body.toString();
const assetsOf = (text: string) => [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');

test.each(['/', '/clients', '/projects/0d5b1d3e-8a3c-4d4a-9a1e-0c6f0c9f7b11', '/reset-password?token=x'])(
  'the dashboard URL %s can be opened directly',
  async (path) => {
    const answer = await load(path, html);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.body.toString()).toBe(await page());
  },
);

test('a dashboard page is revalidated on each visit, and answers 304 to its ETag', async () => {
  const first = await load('/', html);
  expect(first.headers['cache-control']).toBe('no-cache');
  const again = await load('/', { ...html, 'if-none-match': String(first.headers.etag) });
  expect([again.status, again.body.length]).toEqual([304, 0]);
});

test('dashboard assets are cached forever and sent in an encoding that the browser accepts', async () => {
  const [script = ''] = assetsOf(await page()).filter((path) => path.endsWith('.js'));
  const plain = await load(script);
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8');
  const brotli = await load(script, { 'accept-encoding': 'gzip, deflate, br' });
  const gzip = await load(script, { 'accept-encoding': 'br;q=0, gzip' });
  expect([brotli.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual(['br', 'gzip']);
  expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
  expect(gunzipSync(gzip.body)).toEqual(plain.body);
});

test('embed.js is one script of less than 2 KB, which pages of any origin may load and keep for an hour', async () => {
  const { status, headers, body } = await load('/embed.js', { 'accept-encoding': 'gzip, deflate, br', origin: 'https://app.example.com' });
  expect([status, headers['content-type'], headers['content-encoding']]).toEqual([200, 'text/javascript; charset=utf-8', 'br']);
  expect(body.length).toBeLessThan(2048);
  expect(brotliDecompressSync(body).toString()).toMatch(/^var Webkiln=/);
  expect(headers).toMatchObject({
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=3600',
    vary: 'Accept-Encoding',
  });
});

test('the Content-Security-Policy of the dashboard forbids other hosts and inline scripts', async () => {
  const policy = String((await load('/', html)).headers['content-security-policy']);
  const directives = Object.fromEntries(policy.split(';').map((each) => [each.split(' ')[0], each]));
  expect(directives).toMatchObject({
    'default-src': "default-src 'none'",
    'script-src': "script-src 'self'",
    'style-src': "style-src 'self'",
    'connect-src': "connect-src 'self'",
    'form-action': "form-action 'self'",
    'base-uri': "base-uri 'none'",
    'frame-ancestors': "frame-ancestors 'none'",
  });
  expect(policy).not.toContain('unsafe');
});

test('a path that is neither a page nor a file answers 404 in JSON', async () => {
  expect(JSON.parse((await load('/assets/nothing.js')).body.toString())).toMatchObject({ code: 'route_not_found' });
  expect((await load('/clients', { accept: 'application/json' })).status).toBe(404);
  expect((await load('/api/nothing', html)).status).toBe(404);
});

test('a request with a session cookie gets module preload links, others get none, and Vary keeps caches correct', async () => {
  const cookie = `${sessionCookie}=${'a'.repeat(32)}.signature`;
  const [stranger, home, clients] = await Promise.all([
    load('/', html),
    load('/', { ...html, cookie }),
    load('/clients', { ...html, cookie }),
  ]);
  expect(stranger.headers.link).toBeUndefined();
  for (const { headers } of [stranger, home, clients]) expect(headers.vary).toBe('Accept-Encoding, Cookie');
  const early = [home, clients].map(({ headers }) => [...String(headers.link).matchAll(/<([^>]+)>; rel=modulepreload(?:, |$)/g)]);
  const [ofHome = [], ofClients = []] = early.map((found) => found.map(([, path]) => path ?? ''));
  expect(ofClients.length).toBeGreaterThan(0);
  expect(ofHome).toEqual(expect.arrayContaining(ofClients));
  expect(ofHome.length).toBeGreaterThan(ofClients.length);
  const named = assetsOf(home.body.toString());
  for (const path of ofHome) {
    const script = await load(path);
    expect([script.status, script.headers['content-type'], named.includes(path)]).toEqual([200, 'text/javascript; charset=utf-8', false]);
  }
});
