import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { cached, cacheFolder } from './cache.ts';
import { unpackDebianPackages } from './debian-packages.ts';
import { writeLauncher } from './launcher.ts';
import { runCommand } from './run-command.ts';

describe('cache', () => {
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
});

describe('debian packages', () => {
  // Fakes of apt-get and dpkg-deb on the PATH, so that the tests need neither Debian nor a network.
  const aptGet = `#!/bin/sh
echo "$@" >> "$CALLS"
case "$*" in
  *Dir::State::lists=*) ;;
  *) [ "$LISTS" = current ] || { echo "E: Unable to locate package" >&2; exit 100; } ;;
esac
for word; do
  case $word in
    --simulate)
      echo "NOTE: This is only a simulation!"
      echo "Inst liblzf1 (3.6-3 Debian:12.15/oldstable [amd64])"
      echo "Inst libc6 [2.36-9] (2.36-10 Debian:12.15/oldstable [amd64])"
      echo "Inst redis-server (5:7.0.15-1~deb12u10 Debian-Security:12 [amd64])"
      echo "Conf liblzf1 (3.6-3 Debian:12.15/oldstable [amd64])" ;;
    *=[0-9]*) touch "$word.deb" ;;
  esac
done
`;
  const dpkgDeb = `#!/bin/sh
: > "$3/$(basename "$2")"
`;

  const before = { ...process.env };
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'debian-'));
    mkdirSync(path.join(folder, 'bin'));
    mkdirSync(path.join(folder, 'root'));
    writeFileSync(path.join(folder, 'bin/apt-get'), aptGet, { mode: 0o755 });
    writeFileSync(path.join(folder, 'bin/dpkg-deb'), dpkgDeb, { mode: 0o755 });
    process.env.PATH = `${path.join(folder, 'bin')}:${before.PATH}`;
    process.env.CALLS = path.join(folder, 'calls');
    process.env.WEBKILN_CACHE = path.join(folder, 'cache');
  });
  afterEach(() => {
    process.env = { ...before };
    rmSync(folder, { recursive: true });
  });

  const root = () => path.join(folder, 'root');
  const calls = () => readFileSync(path.join(folder, 'calls'), 'utf8').trim().split('\n');

  test('a package is unpacked with the dependencies that the system lacks, but never with another C library', async () => {
    process.env.LISTS = 'current';
    await unpackDebianPackages(['redis-server'], root());
    expect(readdirSync(root()).sort()).toEqual(['liblzf1=3.6-3.deb', 'redis-server=5:7.0.15-1~deb12u10.deb']);
  });

  test('nothing is installed', async () => {
    process.env.LISTS = 'current';
    await unpackDebianPackages(['redis-server'], root());
    for (const call of calls()) expect(call).toMatch(/--simulate|download/);
  });

  test('if the system’s package lists are empty or old, new ones are read into the cache, and the system’s stay as they are', async () => {
    process.env.LISTS = 'empty';
    await unpackDebianPackages(['redis-server'], root());
    const [, update, ...others] = calls();
    expect(update).toMatch(/ update$/);
    for (const call of [update, ...others]) expect(call).toContain(`Dir::State::lists=${folder}/cache/apt-`);
    expect(readdirSync(root())).toHaveLength(2);
  });
});

describe('launcher', () => {
  test('a launched program finds its libraries and settings after its folder was moved, and keeps its caller’s LD_LIBRARY_PATH', async () => {
    const parent = mkdtempSync(path.join(tmpdir(), 'launcher-'));
    try {
      const folder = path.join(parent, 'first');
      mkdirSync(path.join(folder, 'usr/lib'), { recursive: true });
      writeFileSync(path.join(folder, 'usr/lib/libpart.so.1'), '');
      writeFileSync(path.join(folder, 'part'), '#!/bin/sh\necho "$1 $LD_LIBRARY_PATH $FONTS"\n', { mode: 0o755 });
      await writeLauncher(folder, 'part', 'part', { FONTS: '$here/fonts' });
      const moved = path.join(parent, 'moved');
      renameSync(folder, moved);
      const env = { ...process.env, LD_LIBRARY_PATH: '/callers' };
      expect(await runCommand(path.join(moved, 'run/part'), ['argument'], { env })).toBe(
        `argument ${moved}/usr/lib:/callers ${moved}/fonts\n`,
      );
    } finally {
      rmSync(parent, { recursive: true });
    }
  });
});
