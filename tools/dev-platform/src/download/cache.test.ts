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

test.each([
  ['WEBKILN_CACHE', { WEBKILN_CACHE: '/own', XDG_CACHE_HOME: '/xdg' }, '/own'],
  ['XDG_CACHE_HOME', { WEBKILN_CACHE: '', XDG_CACHE_HOME: '/xdg' }, '/xdg/webkiln'],
  ['the home folder', { WEBKILN_CACHE: '', XDG_CACHE_HOME: '' }, path.join(homedir(), '.cache/webkiln')],
])('the cache is in %s where the variables before it are empty', async (_where, variables, expected) => {
  Object.assign(process.env, variables);
  expect(cacheFolder()).toBe(expected);
  // What npm runs sets WEBKILN_CACHE for the programs that it starts.
  const script = path.join(folder, 'print-cache.mjs');
  await writeFile(script, 'process.stdout.write(process.env.WEBKILN_CACHE)');
  const toolchain = path.resolve(__dirname, '../../../../scripts/with-toolchain.mjs');
  expect(await runCommand(process.execPath, [toolchain, script], { env: process.env })).toBe(expected);
});
