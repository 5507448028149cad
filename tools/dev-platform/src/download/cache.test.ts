import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cached } from './cache.ts';

const before = process.env.WEBKILN_CACHE;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cache-'));
  process.env.WEBKILN_CACHE = folder;
});
afterEach(() => {
  process.env.WEBKILN_CACHE = before;
  rmSync(folder, { recursive: true });
});

test('a folder that could not be filled whole is not there', async () => {
  const interrupted = cached('part', async (draft) => {
    await writeFile(path.join(draft, 'half'), '');
    throw new Error('interrupted');
  });
  await expect(interrupted).rejects.toThrow('interrupted');
  expect(readdirSync(folder)).toEqual([]);
});

test('several that want a folder at once fill it once', async () => {
  let filled = 0;
  const want = () =>
    cached('part', async () => {
      filled += 1;
    });
  await Promise.all([want(), want()]);
  await want();
  expect(filled).toBe(1);
});

test('a folder that another process has filled meanwhile is taken as it is, and nothing else is left', async () => {
  const part = await cached('part', async (draft) => {
    await writeFile(path.join(draft, 'who'), 'this one');
    await mkdir(path.join(folder, 'part'));
    await writeFile(path.join(folder, 'part/who'), 'the other');
  });
  expect(readFileSync(path.join(part, 'who'), 'utf8')).toBe('the other');
  expect(readdirSync(folder)).toEqual(['part']);
});

test('what killed processes left half filled is removed in time', async () => {
  const abandoned = path.join(folder, 'part.draft-x');
  await mkdir(abandoned);
  await utimes(abandoned, 0, 0);
  await cached('part', async () => undefined);
  expect(readdirSync(folder)).toEqual(['part']);
});
