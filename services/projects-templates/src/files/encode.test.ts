import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { contentType } from 'mime-types';
import { encode, isCompressible } from './encode.ts';

const size = 10_000;
const typeOf = (extension: string) => contentType(extension) || 'application/octet-stream';

test.each(['html', 'css', 'js', 'mjs', 'json', 'svg', 'xml', 'txt', 'md', 'wasm', 'webmanifest', 'ttf', 'otf', 'ico', 'map', 'rss'])(
  '.%s is compressible',
  (extension) => {
    expect(isCompressible({ content_type: typeOf(extension), size })).toBe(true);
  },
);

test.each(['png', 'jpg', 'webp', 'avif', 'woff', 'woff2', 'mp4', 'zip', 'gz', 'pdf', 'unknown'])('.%s is not compressible', (extension) => {
  expect(isCompressible({ content_type: typeOf(extension), size })).toBe(false);
});

test('a tiny file is not compressible', () => {
  expect(isCompressible({ content_type: 'text/html; charset=utf-8', size: 100 })).toBe(false);
});

test.each([1000, 300_000])('text of %d words decodes to itself', async (words) => {
  const content = Buffer.from('hello '.repeat(words));
  const [brotli, zipped] = [await encode(content, 'br'), await encode(content, 'gzip')];
  expect(brotliDecompressSync(brotli ?? '').equals(content)).toBe(true);
  expect(gunzipSync(zipped ?? '').equals(content)).toBe(true);
});

test('a content that does not get smaller, or not small enough for one chunk, is not encoded', async () => {
  // Base64 of random bytes compresses by a quarter, random bytes do not.
  for (const content of [randomBytes(10_000), Buffer.from(randomBytes(9 * 1024 * 1024).toString('base64'))]) {
    for (const encoding of ['br', 'gzip'] as const) expect(await encode(content, encoding)).toBeUndefined();
  }
});
