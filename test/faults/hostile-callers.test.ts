import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { makeProject } from '../contract/fixtures.ts';
import { type Agency, agency } from '../harness/agency.ts';
import type { Api, ApiResponse } from '../harness/api.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { visit } from '../harness/visitor.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { keepTenantsApart } from './runs/access/tenants.ts';
import { containAbuse } from './runs/http/abuse.ts';
import { refuseBadInput } from './runs/http/bad-input.ts';
import { refusedPublishes, site } from './runs/http/hostile-publishes.ts';
import { Memory } from './runs/http/memory.ts';
import { holdUnread, publishLargeFile, readSlowly } from './runs/http/unread-files.ts';
import { ProcessMemory } from './runs/neighbours/process-memory.ts';
import { seedSettings } from './runs/records/seed-fixtures.ts';

jest.setTimeout(faultTimeoutMs);

let platform: TestPlatform;
beforeAll(async () => {
  // A large cache of the files themselves would hide what their readers cost.
  platform = await startPlatform({ env: { ...seedSettings, REQUEST_TIMEOUT_MS: '60000', SITES_CACHE_MB: '16' } });
});
afterAll(() => platform?.[Symbol.asyncDispose]());

/** Room for two bodies being read, one of which is parsed, decoded and passed on, however many others wait. */
const maxGrowthMb = 600;

/** Starts processes again, so that their memory is measured without what earlier tests have left in it. */
const freshlyStarted = (...names: string[]) =>
  Promise.all(
    names.map(async (name) => {
      await platform.replace(name, 'SIGTERM');
      return { name, memory: new Memory(platform.pid(name) ?? 0) };
    }),
  );

/** Publishes, and repeats after the time that the platform names while it has no room for the body. */
async function publish(api: Api, id: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<ApiResponse> {
  const init = {
    method: 'POST',
    body: body as NonNullable<RequestInit['body']>,
    headers: { 'content-type': 'application/json', ...headers },
  };
  for (;;) {
    const answer = await api.send(`/projects/${id}/publish`, init);
    const seconds = Number(answer.headers.get('retry-after'));
    if (seconds === 0) return answer;
    await pause(seconds * 1000);
  }
}

describe('requests', () => {
  test('no credential reaches foreign records, and foreign ids are answered like unknown ones, byte for byte', async () => {
    expectHeld(await keepTenantsApart(platform));
  });

  test('bad input gets a 4xx that names the mistake, never causes a 5xx or a crash, and stores nothing', async () => {
    expectHeld(await refuseBadInput(platform, { requests: 600 }));
  });

  test('slow, endless, huge and deeply nested requests are refused in time, cost little memory and do not disturb other callers', async () => {
    expectHeld(await containAbuse(platform, { slowHeads: 200, slowBodies: 0, endlessBodies: 5, rounds: 1, extraMs: 15_000 }));
  });
});

describe('publishes', () => {
  let ours: Agency;
  let mongo: MongoClient;
  beforeAll(async () => {
    ours = await agency(platform.facts, { rateLimit: 1_000_000 });
    mongo = await MongoClient.connect(platform.facts.urls.MONGODB_URL);
  });
  afterAll(async () => {
    await mongo?.close();
  });

  const stored = async () => {
    const database = mongo.db('webkiln_projects_templates');
    const count = (collection: string) => database.collection(collection).countDocuments({ org_id: ours.organization.id });
    return { contents: await count('blob_chunks'), trees: await count('manifests') };
  };

  test('hostile publishes are refused with the right error in bounded memory, store nothing and leave the live site unchanged', async () => {
    const { id } = await makeProject(ours.api, undefined, { name: 'Live' });
    const { url } = (await publish(ours.api, id, site({}))).expect(200).body;
    const before = await stored();
    const watched = await freshlyStarted('gateway', 'projects-templates');
    const watching = watched.map(({ memory }) => memory.watch());
    for (const [what, status, code, body, headers] of refusedPublishes) {
      const answer = await publish(ours.api, id, body(), headers);
      expect([what, answer.status, answer.body.code]).toEqual([what, status, code]);
    }
    for (const { memory } of watched) memory.stop();
    await Promise.all(watching);
    expect(await stored()).toEqual(before);
    expect((await ours.api.get(`/projects/${id}/deploys`)).expect(200).body.total).toBe(1);
    expect((await visit(platform.facts.origins[0] ?? '', url)).text).toBe('a');
    for (const { name, memory } of watched) {
      console.info(`${name} +${memory.growthMb} MB`);
      expect(memory.growthMb).toBeLessThan(maxGrowthMb);
    }
  });

  test('header syntax in a file name has no effect on the response headers', async () => {
    const [origin = ''] = platform.facts.origins;
    const { id } = await makeProject(ours.api, undefined, { name: 'Names' });
    const names = ['a"; filename="evil.exe', "b'b", 'c<script>', 'd%0d%0aSet-Cookie: e=f', 'g;h=i, j', 'k\u2028l', 'm?n#o'];
    const files = Object.fromEntries(
      names.flatMap((name) => [
        [`${name}.txt`, name],
        [`${name}/index.html`, 'in it'],
      ]),
    );
    const { url } = (await publish(ours.api, id, site({ ...files, 'plain.txt': 'plain' }))).expect(200).body;
    const plainHeaders = Object.keys((await visit(origin, `${url}/plain.txt`)).headers);
    for (const name of names) {
      const path = encodeURIComponent(name);
      const file = await ours.api.raw(`/projects/${id}/files/${path}.txt`);
      const { headers } = file;
      expect([headers.get('content-disposition'), headers.get('set-cookie'), await file.text()]).toEqual(['attachment', null, name]);
      const shown = await visit(origin, `${url}/${path}.txt`);
      expect([shown.status, shown.text]).toEqual([200, name]);
      expect(Object.keys(shown.headers)).toEqual(plainHeaders);
      expect((await visit(origin, `${url}/${path}/`)).text).toBe('in it');
      const redirect = await visit(origin, `${url}/${path}`);
      expect([redirect.status, redirect.headers.location]).toEqual([301, `/${path}/`]);
    }
  });

  test('a site is served under its own host only', async () => {
    const [origin = ''] = platform.facts.origins;
    const { id } = await makeProject(ours.api, undefined, { name: 'Own' });
    const { url } = (await publish(ours.api, id, site({ 'own.txt': 'only here' }))).expect(200).body;
    const { hostname, port } = new URL(url);
    const [name] = hostname.split('.');
    expect((await visit(origin, `${url}/own.txt`)).text).toBe('only here');
    const foreign = [`${hostname}.evil.example`, `${name}.localhost`, hostname.replace('.', '-'), 'evil.example'];
    const empty = [`a.${hostname}`, `x${hostname}`, 'sites.localhost', `${name}.preview.localhost`, '127.0.0.1'];
    for (const host of [...foreign, ...empty]) {
      const { status, text } = await visit(origin, `http://${host}:${port}/own.txt`);
      expect([host, status]).toEqual([host, foreign.includes(host) ? 421 : 404]);
      expect(text).not.toContain('only here');
    }
  });
});

describe('large sites', () => {
  const bodies = 4;

  test(`${bodies} concurrent bodies of 35 MB are published one after the other in bounded memory`, async () => {
    const { api } = await agency(platform.facts, { rateLimit: 1_000_000 });
    const content = randomBytes(25 * 1024 * 1024 - 1).toString('base64');
    const body = site({ 'large.bin': { content, encoding: 'base64' } });
    const projects = await Promise.all(Array.from({ length: bodies }, () => makeProject(api)));
    const watched = await freshlyStarted('gateway', 'projects-templates');
    const watching = watched.map(({ memory }) => memory.watch());
    // One that gets no room in time is answered 429 or 503.
    for (const answer of await Promise.all(projects.map(({ id }) => publish(api, id, body)))) answer.expect(200);
    for (const { memory } of watched) memory.stop();
    await Promise.all(watching);
    for (const { id } of projects) expect((await api.get(`/projects/${id}/deploys`)).expect(200).body.total).toBe(1);
    for (const { name, memory } of watched) {
      console.info(`${name} +${memory.growthMb} MB`);
      expect(memory.growthMb).toBeLessThan(maxGrowthMb);
    }
  });
});

describe('readers that do not read', () => {
  const files = 2;
  const readersEach = 8;
  const maxGrowthMb = 100;
  const watched = ['gateway', 'sites', 'projects-templates'];

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
});
