import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';

const mb = 1024 * 1024;

/** The body of a publish request with these files and a page. */
export const site = (files: Record<string, unknown>) => JSON.stringify({ builtFiles: { 'index.html': 'a', ...files } });
const large = { content: Buffer.alloc(26 * mb).toString('base64'), encoding: 'base64' };
const unpacked = Buffer.alloc(200 * mb, ' ');

/** Publishes that must be refused, with their status and error code. */
export const refusedPublishes: readonly (readonly [
  what: string,
  status: number,
  code: string,
  body: () => string | Buffer,
  headers?: Record<string, string>,
])[] = [
  ['a path that climbs out of the site', 400, 'validation_failed', () => site({ '../../etc/passwd': 'x' })],
  ['a path that climbs out of a folder', 400, 'validation_failed', () => site({ 'a/../../b': 'x' })],
  ['an absolute path', 400, 'validation_failed', () => site({ '/etc/passwd': 'x' })],
  ['a path with backslashes', 400, 'validation_failed', () => site({ 'a\\..\\b': 'x' })],
  ['a path with a line break', 400, 'validation_failed', () => site({ 'a\r\nSet-Cookie: b=c': 'x' })],
  ['a path with a NUL', 400, 'validation_failed', () => site({ 'a\0.html': 'x' })],
  ['2,001 files', 400, 'validation_failed', () => site(Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`${index}`, 'x'])))],
  ['26 MB in a body of 35 MB', 400, 'validation_failed', () => site({ large })],
  ['25 MB and one path that climbs', 400, 'validation_failed', () => site({ large: 'x'.repeat(25 * mb), '../b': 'x' })],
  ['a body of more than 40 MB', 413, 'body_too_large', () => site({ large: 'x'.repeat(41 * mb) })],
  ['200 MB compressed with gzip', 415, 'content_type_unsupported', () => gzipSync(unpacked), { 'content-encoding': 'gzip' }],
  [
    '200 MB compressed with Brotli',
    415,
    'content_type_unsupported',
    () => brotliCompressSync(unpacked, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    { 'content-encoding': 'br' },
  ],
  ['200 MB compressed twice', 415, 'content_type_unsupported', () => gzipSync(gzipSync(unpacked)), { 'content-encoding': 'gzip, gzip' }],
  ['200 MB compressed with deflate', 415, 'content_type_unsupported', () => deflateSync(unpacked), { 'content-encoding': 'deflate' }],
  ['gzip bytes without Content-Encoding', 400, 'malformed_json', () => gzipSync(unpacked)],
];
