import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Zippable, zipSync } from 'fflate';
import { readSiteZip } from './site-zip.ts';

const text = (words: string) => Buffer.from(words);
const page = text('<h1>Hi</h1>');

async function read(zip: Uint8Array): Promise<Record<string, string>> {
  const file = path.join(tmpdir(), `webkiln-zip-${process.pid}`);
  writeFileSync(file, zip);
  const fd = openSync(file, 'r');
  try {
    return Object.fromEntries(Object.entries(await readSiteZip(fd)).map(([name, content]) => [name, content.toString()]));
  } finally {
    closeSync(fd);
    rmSync(file);
  }
}

const zip = (files: Zippable) => Buffer.from(zipSync(files));
const [local, central] = [0x04034b50, 0x02014b50];

/** Changes each header with this signature; `at` is its beginning. */
function patched(bytes: Buffer, signature: number, change: (at: number) => void): Buffer {
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(signature);
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) change(at);
  return bytes;
}

/** A zip whose headers both say so of the size of its only file. */
function withSize(files: Zippable, size: number): Buffer {
  const bytes = zip(files);
  patched(bytes, local, (at) => bytes.writeUInt32LE(size, at + 22));
  return patched(bytes, central, (at) => bytes.writeUInt32LE(size, at + 24));
}

function withField(offset: readonly [local: number, central: number], value: number): Buffer {
  const bytes = zip({ 'index.html': page });
  patched(bytes, local, (at) => bytes.writeUInt16LE(value, at + offset[0]));
  return patched(bytes, central, (at) => bytes.writeUInt16LE(value, at + offset[1]));
}

/** A zip64 of nothing that claims a million entries. */
function claimingEntries(count: number): Buffer {
  const [record, locator, end] = [Buffer.alloc(56), Buffer.alloc(20), Buffer.alloc(22)];
  record.writeUInt32LE(0x06064b50);
  record.writeBigUInt64LE(44n, 4);
  for (const at of [24, 32]) record.writeBigUInt64LE(BigInt(count), at);
  locator.writeUInt32LE(0x07064b50);
  locator.writeUInt32LE(1, 16);
  end.writeUInt32LE(0x06054b50);
  for (const at of [8, 10]) end.writeUInt16LE(0xffff, at);
  for (const at of [12, 16]) end.writeUInt32LE(0xffffffff, at);
  return Buffer.concat([record, locator, end]);
}

const renamed = (files: Zippable, from: string, to: string) => Buffer.from(zip(files).toString('latin1').replaceAll(from, to), 'latin1');
const symlink = (target: string): Zippable => ({ 'index.html': [text(target), { os: 3, attrs: 0o120777 << 16 }] });
const mb = 1024 * 1024;

test('folders that all files share are left out, and so is what systems leave in folders', async () => {
  const files = { 'my site/dist/index.html': page, 'my site/dist/a/ü.css': text('a {}'), 'my site/dist/': Buffer.alloc(0) };
  const litter = { '__MACOSX/._index.html': page, 'my site/.DS_Store': page, 'my site/dist/.git/config': page };
  expect(await read(zip({ ...litter, ...files }))).toEqual({ 'index.html': '<h1>Hi</h1>', 'a/ü.css': 'a {}' });
});

test('files that share no folder keep their paths, and __proto__ is a name like any other', async () => {
  const files = { 'index.html': page, 'a/b.txt': text('b'), __prato__: text('c') };
  expect(Object.entries(await read(renamed(files, '__prato__', '__proto__'))).sort()).toEqual([
    ['__proto__', 'c'],
    ['a/b.txt', 'b'],
    ['index.html', '<h1>Hi</h1>'],
  ]);
});

test('stored and deflated files are read, and 25 MB are the most', async () => {
  const large = Buffer.alloc(25 * mb, 'a');
  expect((await read(zip({ 'a.txt': [large, { level: 0 }] })))['a.txt']).toHaveLength(25 * mb);
  await expect(read(zip({ 'a.txt': [large, { level: 9 }], b: text('b') }))).rejects.toThrow(
    'files: must have at most 25 MB together, unpacked.',
  );
});

test.each<[what: string, sentence: string, zip: () => Uint8Array]>([
  ['text', 'The body is not a zip, or a damaged one: make the zip again.', () => text('<h1>Hi</h1>')],
  ['nothing', 'The body is not a zip, or a damaged one: make the zip again.', () => Buffer.alloc(0)],
  ['half a zip', 'The body is not a zip, or a damaged one: make the zip again.', () => zip({ a: page, b: page }).subarray(0, 80)],
  ['a million entries', 'The zip has 1000000 entries, and 10000 are the most', () => claimingEntries(1_000_000)],
  [
    '2,001 files',
    'files: must be at most 2000 files.',
    () => zip(Object.fromEntries(Array.from({ length: 2001 }, (_, at) => [`${at}`, page]))),
  ],
  ['200 MB of zeros', 'files: must have at most 25 MB together, unpacked.', () => zip({ 'index.html': Buffer.alloc(200 * mb) })],
  [
    '200 MB that say they are 10 bytes',
    'files: must have at most 25 MB together, unpacked.',
    () => withSize({ 'index.html': Buffer.alloc(200 * mb) }, 10),
  ],
  [
    '10 bytes that say they are 4 GB',
    'index.html: is damaged: make the zip again.',
    () => withSize({ 'index.html': text('0123456789') }, 0xfffffffe),
  ],
  ['a checksum that is wrong', 'index.html: is damaged: make the zip again.', () => withField([14, 16], 1)],
  ['a path that climbs', '../index.html: must be normalised', () => zip({ '../index.html': page })],
  ['an absolute path', '/etc/passwd: must be relative.', () => zip({ '/etc/passwd': page })],
  ['backslashes', 'a\\index.html: must separate folders with "/".', () => zip({ 'a\\index.html': page })],
  ['a name twice', 'index.html: is in the zip twice.', () => renamed({ 'index.html': page, 'indey.html': page }, 'indey', 'index')],
  ['a link', 'index.html: is a link or no file', () => zip(symlink('/etc/passwd'))],
  ['an encrypted file', 'index.html: is encrypted: make the zip without a password.', () => withField([6, 8], 1)],
  ['a method that browsers do not know', 'index.html: is compressed by another method than Deflate', () => withField([8, 10], 93)],
])('a zip of %s is refused with what to correct', async (_, sentence, make) => {
  await expect(read(make())).rejects.toMatchObject({ code: 'validation_failed', message: expect.stringContaining(sentence) });
});
