import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Store } from '../stores/dependency.ts';
import { nats } from '../stores/nats.ts';
import { DependencyMissing, supplyProgram, supplyStore, supplyStores } from './supply.ts';

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
