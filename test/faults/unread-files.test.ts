import { agency } from '../harness/agency.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { faultTimeoutMs } from './expect-held.ts';
import { holdUnread, publishLargeFile, readSlowly } from './runs/http/unread-files.ts';
import { ProcessMemory } from './runs/neighbours/process-memory.ts';

const files = 4;
const readersEach = 5;
const maxGrowthMb = 100;
const watched = ['gateway', 'sites', 'projects-templates'];

jest.setTimeout(faultTimeoutMs);

let platform: TestPlatform;
beforeAll(async () => {
  // A cache of the files themselves would hide what their readers cost.
  platform = await startPlatform({ env: { SITES_CACHE_MB: '16', REQUEST_TIMEOUT_MS: '60000' } });
});
afterAll(() => platform[Symbol.asyncDispose]());

test(`${2 * files * readersEach} readers that read nothing of files of 20 MB cost each process at most ${maxGrowthMb} MB; others are served whole`, async () => {
  const large = await Promise.all(Array.from({ length: files }, () => publishLargeFile(platform.facts)));
  const other = await agency(platform.facts);
  // Publishing has grown these processes: their memory is measured from a fresh start.
  for (const name of watched) await platform.replace(name, 'SIGTERM');
  const [origin = ''] = platform.facts.origins;
  (await other.api.get('/clients')).expect(200);
  const memory = new ProcessMemory(platform);
  const requests = large.flatMap(({ requests: all }) => all.flatMap((request) => Array<string>(readersEach).fill(request)));
  const readers = await Promise.all(requests.map((request) => holdUnread(origin, request, '127.0.0.66')));
  expect(readers.map(({ status }) => status)).toEqual(requests.map(() => 200));
  for (const { requests: honest, sha256 } of large) {
    const shown = await Promise.all(honest.map(async (request) => readSlowly(await holdUnread(origin, request))));
    expect(shown).toEqual(honest.map(() => sha256));
  }
  (await other.api.get('/clients')).expect(200);
  const { name, mb } = memory.stop();
  for (const { socket } of readers) socket.destroy();
  console.info(`${name} +${mb} MB`);
  expect([name, mb <= maxGrowthMb]).toEqual([name, true]);
});
