import { readdirSync, readSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import type { AppError } from '@webkiln/contract';
import { assertFewValues } from './few-values.ts';
import { Uploads } from './uploads.ts';

const mb = 1024 * 1024;
const maxBytes = 40 * mb;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'webkiln-uploads-'));
});
afterAll(() => rm(folder, { recursive: true }));

const request = (headers: Record<string, string> = {}) => Object.assign(new PassThrough(), { headers });
const received = (uploads: Uploads, sent: PassThrough, credential = 'key') =>
  uploads.receive(sent as unknown as IncomingMessage, maxBytes, credential);
function bytesOf({ fd, size }: { fd: number; size: number }): Buffer {
  const bytes = Buffer.alloc(size);
  readSync(fd, bytes, 0, size, 0);
  return bytes;
}
const code = (error: unknown) => (error as AppError).code;

test('a body is read back as it was sent, after any number of slow ones began', async () => {
  const uploads = new Uploads({ folder, maxBytes: 1024 * mb });
  const slow = Array.from({ length: 50 }, () => request());
  const slowBodies = slow.map((sent) => received(uploads, sent).catch(code));
  for (const sent of slow) sent.write('{');
  const body = Buffer.alloc(3 * mb, 'webkiln');
  const upload = await received(uploads, request().end(Buffer.from(body)));
  expect(bytesOf(upload).equals(body)).toBe(true);
  await upload.close();
  for (const sent of slow) sent.destroy();
  expect(new Set(await Promise.all(slowBodies))).toEqual(new Set(['malformed_request']));
});

test('no file has a name while bodies arrive, so that a kill leaves none behind', async () => {
  const uploads = new Uploads({ folder, maxBytes: 1024 * mb });
  const upload = await received(uploads, request().end('{}'));
  expect(readdirSync(folder)).toEqual([]);
  expect(bytesOf(upload).toString()).toBe('{}');
  await upload.close();
});

test('a body beyond the limit is refused at once if it is announced, else when the limit is passed', async () => {
  const uploads = new Uploads({ folder, maxBytes: 1024 * mb });
  expect(await received(uploads, request({ 'content-length': String(maxBytes + 1) })).catch(code)).toBe('body_too_large');
  expect(await received(uploads, request().end(Buffer.alloc(maxBytes + 1))).catch(code)).toBe('body_too_large');
});

test('a credential has a quarter of the space, and all of them the whole; closed bodies make room', async () => {
  const uploads = new Uploads({ folder, maxBytes: 8 * mb });
  const send = (credential: string) => received(uploads, request().end(Buffer.alloc(2 * mb)), credential);
  const own = await send('a');
  expect(await send('a').catch(code)).toBe('too_many_in_flight');
  const others = await Promise.all(['b', 'c', 'd'].map(send));
  expect(await send('e').catch(code)).toBe('overloaded');
  await own.close();
  for (const upload of [...others, await send('a')]) await upload.close();
});

const refused = expect.objectContaining({ code: 'validation_failed' });

test('a body of a few long strings is accepted, whatever the strings contain', () => {
  const text = '{"a":[1,2,3]},\\"quoted\\"'.repeat(100_000);
  expect(() => assertFewValues(Buffer.from(JSON.stringify({ 'index.html': text, 'b.js': { content: text } })))).not.toThrow();
});

test.each([
  ['that ends', 'x'.repeat(300), false],
  ['with an escaped quote', `${'x'.repeat(300)}\\"`, false],
  ['with an escaped backslash at its end', `${'x'.repeat(300)}\\\\`, false],
  ['with many backslashes and a quote', `${'x'.repeat(300)}${'\\'.repeat(301)}"${'y'.repeat(300)}`, false],
  ['that does not end', `${'x'.repeat(300)}\\`, true],
])('what follows a long string %s is counted, and nothing in it', (_, text, isOpen) => {
  const body = Buffer.from(`"${text}${'[,'.repeat(10_001)}","${text}"${'[,'.repeat(9_990)}`);
  const more = Buffer.from(`"${text}"${'[,'.repeat(10_001)}`);
  expect(() => assertFewValues(body)).not.toThrow();
  if (isOpen) expect(() => assertFewValues(more)).not.toThrow();
  else expect(() => assertFewValues(more)).toThrow(refused);
});

test('a deploy of 2,000 files is accepted', () => {
  const files = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`${index}`, { content: '', encoding: 'base64' }]));
  expect(() => assertFewValues(Buffer.from(JSON.stringify({ builtFiles: files })))).not.toThrow();
});

test.each([
  ['keys', `{${'"a":"",'.repeat(20_000)}"b":""}`],
  ['arrays', '[],'.repeat(30_000)],
  ['nesting levels', '['.repeat(30_000)],
  ['objects', '{},'.repeat(30_000)],
])('a body with more than 20,000 %s is refused with validation_failed', (_, text) => {
  expect(() => assertFewValues(Buffer.from(text))).toThrow(refused);
});
