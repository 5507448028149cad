import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unpackDebianPackages } from './debian-packages.ts';

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
