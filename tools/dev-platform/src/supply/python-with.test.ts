import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pythonWith } from './python-with.ts';

// Fakes of python3 and apt-get on the PATH, so that the tests need neither Python nor a network.
const python = `#!/bin/sh
case "$1" in
  --version) echo "Python $VERSION.1"; exit ;;
  -c) echo "$VERSION"; exit ;;
esac
[ "$3" = --version ] && exit
echo "$@" >> "$CALLS"
while [ "$1" != --target ]; do shift; done
touch "$2/half"
[ -z "$BREAKS" ] || { echo "THESE PACKAGES DO NOT MATCH THE HASHES" >&2; exit 1; }
touch "$2/whole"
`;
const aptGet = '#!/bin/sh\nexit 100\n';

const before = { ...process.env };
let folder: string;
let requirements: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'python-'));
  mkdirSync(path.join(folder, 'bin'));
  writeFileSync(path.join(folder, 'bin/python3'), python, { mode: 0o755 });
  writeFileSync(path.join(folder, 'bin/apt-get'), aptGet, { mode: 0o755 });
  requirements = path.join(folder, 'requirements.txt');
  writeFileSync(requirements, 'mcp==1 --hash=sha256:00\n');
  process.env.PATH = `${path.join(folder, 'bin')}:${before.PATH}`;
  process.env.CALLS = path.join(folder, 'calls');
  process.env.WEBKILN_CACHE = path.join(folder, 'cache');
  process.env.VERSION = '3.10';
  process.env.BREAKS = '';
});
afterEach(() => {
  process.env = { ...before };
  rmSync(folder, { recursive: true });
});

const supply = () => pythonWith(requirements, () => undefined);
const installations = () => readFileSync(path.join(folder, 'calls'), 'utf8').trim().split('\n');

test('packages are installed into the cache once for each content of the requirements and each version of Python', async () => {
  const { env } = await supply();
  expect(env.PYTHONPATH).toMatch(`${folder}/cache/python-3.10-`);
  expect(readdirSync(env.PYTHONPATH ?? '').sort()).toEqual(['half', 'whole']);
  expect(await supply()).toEqual({ program: 'python3', env });
  expect(installations()).toHaveLength(1);
  process.env.VERSION = '3.11';
  await supply();
  writeFileSync(requirements, 'mcp==2 --hash=sha256:00\n');
  await supply();
  expect(installations()).toHaveLength(3);
  for (const call of installations()) expect(call).toMatch(/^-m pip install .*--require-hashes --only-binary=:all: --target/);
});

test('an installation that fails says why and leaves nothing, and the next one begins again', async () => {
  process.env.BREAKS = 'yes';
  await expect(supply()).rejects.toThrow('THESE PACKAGES DO NOT MATCH THE HASHES');
  expect(readdirSync(path.join(folder, 'cache'))).toEqual([]);
  process.env.BREAKS = '';
  await supply();
  expect(installations()).toHaveLength(2);
});

test('without a Python that is new enough the error says what to install', async () => {
  process.env.VERSION = '3.9';
  await expect(supply()).rejects.toThrow(
    /^Python 3\.10 or newer is needed.*\n.*install python3 3\.10 or newer on the PATH \(python3 is 3\.9\)/,
  );
});
