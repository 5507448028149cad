import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { AppError } from '@webkiln/contract';
import { contentType } from 'mime-types';
import { encode, isCompressible } from './encode.ts';
import { fileTree, manifestIdOf } from './file-tree.ts';

describe('file tree', () => {
  const file = (path: string, content = path) => ({ path, content: Buffer.from(content) });

  const refusal = (tree: Promise<unknown>) =>
    tree.then(
      () => undefined,
      (error) => {
        if (error instanceof AppError) return { code: error.code, details: error.details };
        throw error;
      },
    );

  test('a tree lists its files by path with size, SHA-256 and content type', async () => {
    expect(await fileTree([file('index.html', '<h1>Hi</h1>'), file('a/logo.SVG', ''), file('LICENSE', 'x')])).toEqual([
      { path: 'LICENSE', size: 1, sha256: expect.stringMatching(/^2d711642/), content_type: 'text/plain; charset=utf-8' },
      { path: 'a/logo.SVG', size: 0, sha256: expect.stringMatching(/^e3b0c442/), content_type: 'image/svg+xml' },
      { path: 'index.html', size: 11, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), content_type: 'text/html; charset=utf-8' },
    ]);
  });

  test('the error names an invalid path', async () => {
    expect(await refusal(fileTree([file('index.html'), file('../a')]))).toEqual({
      code: 'validation_failed',
      details: [{ path: '../a', message: expect.stringContaining('normalised') }],
    });
  });

  test('the error names the beginning of a very long path', async () => {
    expect(await refusal(fileTree([file('x'.repeat(100_000))]))).toMatchObject({
      details: [{ path: 'x'.repeat(200), message: expect.anything() }],
    });
  });

  test('a path given twice is rejected', async () => {
    expect(await refusal(fileTree([file('a'), file('a', 'other')]))).toMatchObject({ details: [{ path: 'a', message: 'is given twice' }] });
  });

  test.each([
    ['docs', 'docs/index.html'],
    ['a/b', 'a/b/c/d'],
  ])('a file %s beside %s is rejected: no folder can hold both', async (both, below) => {
    const tree = fileTree([file('index.html'), file(both), file(`${both}-x`), file(`${both}.html`), file(below)]);
    expect(await refusal(tree)).toMatchObject({ details: [{ path: both, message: 'is a file and a folder at once' }] });
  });

  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  test.each<[string, Buffer | string, string]>([
    ['LICENSE', 'Copyright', 'text/plain; charset=utf-8'],
    ['empty', '', 'application/octet-stream'],
    ['.well-known/acme-challenge/token', 'a.b', 'text/plain; charset=utf-8'],
    ['.well-known/apple-app-site-association', ' {"applinks":{}}', 'application/json; charset=utf-8'],
    ['.well-known/proof.unknown', 'proof', 'text/plain; charset=utf-8'],
    ['about', '<!DOCTYPE html><p>Hi', 'text/html; charset=utf-8'],
    ['list', '[broken', 'text/plain; charset=utf-8'],
    ['binary', Buffer.from([0, 1, 2]), 'application/octet-stream'],
    ['data.unknown', 'text', 'application/octet-stream'],
    ['a.cjs', 'x', 'text/javascript; charset=utf-8'],
    ['a.mjs', 'x', 'text/javascript; charset=utf-8'],
    ['a.svgz', Buffer.from([0x1f, 0x8b]), 'image/svg+xml'],
    ['a.webmanifest', '{}', 'application/manifest+json; charset=utf-8'],
    ['a.woff2', 'x', 'font/woff2'],
    ['a.html', '<meta charset=utf-8>ü', 'text/html; charset=utf-8'],
    ['a.html', '<p>ü', 'text/html; charset=utf-8'],
    ['a.html', latin1('<meta charset="iso-8859-1"><p>ü'), 'text/html'],
    ['a.html', '<META content="text/html; charset=windows-1252" http-equiv=Content-Type><p>a', 'text/html'],
    ['a.html', '\ufeff<meta charset=latin1>ü', 'text/html; charset=utf-8'],
    ['a.html', Buffer.from('\ufeff<p>a', 'utf16le'), 'text/html'],
    ['a.css', latin1('@charset "latin1"; a { content: "ü" }'), 'text/css'],
    ['a.js', latin1('"ü"'), 'text/javascript'],
  ])('%s with %j is %s', async (path, content, type) => {
    expect(await fileTree([{ path, content: Buffer.from(content as string) }])).toMatchObject([{ content_type: type }]);
  });

  test('2,000 files are accepted, 2,001 are not', async () => {
    const files = Array.from({ length: 2001 }, (_, index) => file(`page-${index}.html`, ''));
    expect(await fileTree(files.slice(1))).toHaveLength(2000);
    expect(await refusal(fileTree(files))).toMatchObject({ code: 'validation_failed' });
  });

  test('25 MB are accepted, one byte more is not', async () => {
    const half = { path: 'a.bin', content: new Uint8Array(12.5 * 1024 * 1024) };
    expect(await fileTree([half, { ...half, path: 'b.bin' }])).toHaveLength(2);
    expect(await refusal(fileTree([half, { ...half, path: 'b.bin' }, file('c', 'x')]))).toMatchObject({ code: 'validation_failed' });
  });

  test('equal trees of one organization have the same id, in any order of their files', async () => {
    const tree = await fileTree([file('a'), file('b')]);
    expect(manifestIdOf('org', await fileTree([file('b'), file('a')]))).toBe(manifestIdOf('org', tree));
    expect(manifestIdOf('other', tree)).not.toBe(manifestIdOf('org', tree));
    expect(manifestIdOf('org', await fileTree([file('a'), file('b', 'changed')]))).not.toBe(manifestIdOf('org', tree));
  });
});

describe('encode', () => {
  const size = 10_000;
  const typeOf = (extension: string) => contentType(extension) || 'application/octet-stream';

  test.each([
    'html',
    'css',
    'js',
    'mjs',
    'json',
    'svg',
    'xml',
    'txt',
    'md',
    'wasm',
    'webmanifest',
    'ttf',
    'otf',
    'eot',
    'ico',
    'map',
    'rss',
  ])('.%s is compressible', (extension) => {
    expect(isCompressible({ content_type: typeOf(extension), size })).toBe(true);
  });

  test.each(['png', 'jpg', 'webp', 'avif', 'woff', 'woff2', 'mp4', 'zip', 'gz', 'pdf', 'unknown'])(
    '.%s is not compressible',
    (extension) => {
      expect(isCompressible({ content_type: typeOf(extension), size })).toBe(false);
    },
  );

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
});
