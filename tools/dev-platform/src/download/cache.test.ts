import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { cached, cacheFolder } from './cache.ts';
import { runCommand } from './run-command.ts';

const before = { ...process.env };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cache-'));
  process.env.WEBKILN_CACHE = folder;
});
afterEach(() => {
  process.env = { ...before };
  rmSync(folder, { recursive: true });
});

test('a folder whose filling was interrupted does not appear in the cache', async () => {
  const interrupted = cached('part', async (draft) => {
    await writeFile(path.join(draft, 'half'), '');
    throw new Error('interrupted');
  });
  await expect(interrupted).rejects.toThrow('interrupted');
  expect(readdirSync(folder)).toEqual([]);
});

test('concurrent requests for a folder fill it once', async () => {
  let filled = 0;
  const want = () =>
    cached('part', async () => {
      filled += 1;
    });
  await Promise.all([want(), want()]);
  await want();
  expect(filled).toBe(1);
});

test('if another process fills the folder first, its folder is used and no draft is left behind', async () => {
  const part = await cached('part', async (draft) => {
    await writeFile(path.join(draft, 'who'), 'this one');
    await mkdir(path.join(folder, 'part'));
    await writeFile(path.join(folder, 'part/who'), 'the other');
  });
  expect(readFileSync(path.join(part, 'who'), 'utf8')).toBe('the other');
  expect(readdirSync(folder)).toEqual(['part']);
});

test('the next fill removes old drafts that killed processes left behind', async () => {
  const abandoned = path.join(folder, 'part.draft-x');
  await mkdir(abandoned);
  await utimes(abandoned, 0, 0);
  await cached('part', async () => undefined);
  expect(readdirSync(folder)).toEqual(['part']);
});

test.each([
  ['WEBKILN_CACHE', { WEBKILN_CACHE: '/own', XDG_CACHE_HOME: '/xdg' }, '/own'],
  ['XDG_CACHE_HOME', { WEBKILN_CACHE: '', XDG_CACHE_HOME: '/xdg' }, '/xdg/webkiln'],
  ['the home folder', { WEBKILN_CACHE: '', XDG_CACHE_HOME: '' }, path.join(homedir(), '.cache/webkiln')],
])('the cache is in %s if the variables of higher precedence are empty', async (_where, variables, expected) => {
  Object.assign(process.env, variables);
  expect(cacheFolder()).toBe(expected);
  // with-toolchain.mjs sets WEBKILN_CACHE for the programs that it starts.
  const script = path.join(folder, 'print-cache.mjs');
  await writeFile(script, 'process.stdout.write(process.env.WEBKILN_CACHE)');
  const toolchain = path.resolve(__dirname, '../../../../scripts/with-toolchain.mjs');
  expect(await runCommand(process.execPath, [toolchain, script], { env: process.env })).toBe(expected);
});
