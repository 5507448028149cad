import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Store } from '../stores/dependency.ts';
import { nats } from '../stores/nats.ts';
import { pythonWith } from './python-with.ts';
import { DependencyMissing, supplyProgram, supplyStore, supplyStores } from './supply.ts';

describe('supply', () => {
  const silent = () => undefined;
  const before = { PATH: process.env.PATH, WEBKILN_CACHE: process.env.WEBKILN_CACHE };
  let folder: string;
  let fetched: number;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'supply-'));
    process.env.PATH = folder;
    process.env.WEBKILN_CACHE = path.join(folder, 'cache');
    fetched = 0;
  });
  afterEach(() => {
    Object.assign(process.env, before);
    rmSync(folder, { recursive: true });
  });

  /** A NATS whose image does not exist, and whose download needs no network. */
  const store: Store = {
    ...nats,
    image: 'localhost/there-is-no-such-image:0',
    download: {
      from: 'a test',
      folder: 'nats',
      executable: 'nats-server',
      fetch: async () => {
        fetched += 1;
      },
    },
  };
  const undownloadable: Store = {
    ...store,
    download: {
      ...store.download,
      fetch: async () => {
        throw new Error('the network is away');
      },
    },
  };

  function installOnPath(version: string): string {
    const program = path.join(folder, 'nats-server');
    writeFileSync(program, `#!/bin/sh\necho "nats-server: v${version}"\n`, { mode: 0o755 });
    return program;
  }

  test('a URL in the environment comes before everything else', async () => {
    installOnPath('2.15.1');
    expect(await supplyStore(store, { NATS_URL: 'nats://there:4222' }, silent)).toEqual({ url: 'nats://there:4222' });
  });

  test('a program on the PATH comes before a download', async () => {
    const program = installOnPath('2.10.0');
    expect(await supplyStore(store, {}, silent)).toEqual({ program });
    expect(fetched).toBe(0);
  });

  test('a program on the PATH that is too old is skipped', async () => {
    installOnPath('2.9.10');
    expect(await supplyStore(store, { NATS_URL: '' }, silent)).toEqual({ program: path.join(folder, 'cache/nats/nats-server') });
  });

  test('the setting with a program’s path comes before the PATH, where the first of its names that works is used', async () => {
    const part = { ...store, program: 'browser', otherNames: ['nats-server'], pathVariable: 'BROWSER_PATH' };
    writeFileSync(path.join(folder, 'browser'), '#!/bin/sh\necho "go to the shop" >&2; exit 1\n', { mode: 0o755 });
    const program = installOnPath('2.10.0');
    expect(await supplyProgram(part, silent)).toBe(program);
    process.env.BROWSER_PATH = '/elsewhere/browser';
    expect(await supplyProgram(part, silent)).toBe('/elsewhere/browser');
    delete process.env.BROWSER_PATH;
    expect(fetched).toBe(0);
  });

  test('a download is reused from the cache', async () => {
    await supplyProgram(store, silent);
    await supplyProgram(store, silent);
    expect(fetched).toBe(1);
  });

  test('a dependency that cannot be supplied is an error with every way to supply it and why each fails', async () => {
    const program = installOnPath('2.9.10');
    const failure = await supplyStore(undownloadable, {}, silent).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DependencyMissing);
    const [first, ...providers] = (failure as Error).message.split('\n');
    expect(first).toBe('NATS is needed and cannot be had here. Any one of these supplies it:');
    expect(providers).toEqual([
      '  - set NATS_URL to one that runs already',
      `  - install nats-server 2.10 or newer on the PATH (${program} is 2.9)`,
      expect.stringMatching(/^ {2}- start a container engine, which runs localhost\/there-is-no-such-image:0 \(.+\)$/),
      '  - let it be fetched as a test (the network is away)',
    ]);
  });

  test('two dependencies that cannot be supplied are one error, which names both', async () => {
    const failure = supplyStores([undownloadable, { ...undownloadable, title: 'Redis' }], {}, silent);
    await expect(failure).rejects.toThrow(/^NATS is needed.*\n\nRedis is needed/s);
  });
});

describe('python with', () => {
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
});
