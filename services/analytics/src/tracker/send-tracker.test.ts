import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { runIngest } from '../testing/running-ingest.ts';
import { minified } from './minified.ts';

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
