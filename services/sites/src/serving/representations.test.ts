import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { bodyOf, FakePublisher, shaOf } from '../testing/fake-publisher.ts';
import { serveSites } from '../testing/served-sites.ts';

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
