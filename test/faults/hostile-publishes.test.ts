import { MongoClient } from 'mongodb';
import { makeProject } from '../contract/fixtures.ts';
import { type Agency, agency } from '../harness/agency.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { visit } from '../harness/visitor.ts';
import { refusedPublishes, site } from './runs/http/hostile-publishes.ts';
import { Memory } from './runs/http/memory.ts';

/** Room for two bodies being read, one of which is parsed, decoded and passed on; same bound as large-sites.test.ts. */
const maxGrowthMb = 600;

let platform: TestPlatform;
let ours: Agency;
let mongo: MongoClient;
beforeAll(async () => {
  platform = await startPlatform();
  ours = await agency(platform.facts, { rateLimit: 1_000_000 });
  mongo = await MongoClient.connect(platform.facts.urls.MONGODB_URL);
}, 300_000);
afterAll(async () => {
  await mongo?.close();
  await platform[Symbol.asyncDispose]();
});

const stored = async () => {
  const database = mongo.db('webkiln_projects_templates');
  const count = (collection: string) => database.collection(collection).countDocuments({ org_id: ours.organization.id });
  return { contents: await count('blob_chunks'), trees: await count('manifests') };
};

/** Publishes, and repeats while the platform answers 503 because it has no room for the body. */
async function publish(id: string, body: string | Buffer, headers: Record<string, string> = {}) {
  for (;;) {
    const init = {
      method: 'POST',
      body: body as NonNullable<RequestInit['body']>,
      headers: { 'content-type': 'application/json', ...headers },
    };
    const answer = await ours.api.send(`/projects/${id}/publish`, init);
    if (answer.status !== 503) return answer;
  }
}

test('hostile publishes are refused with the right error in bounded memory, store nothing and leave the live site unchanged', async () => {
  const { id } = await makeProject(ours.api, undefined, { name: 'Live' });
  const { url } = (await publish(id, site({}))).expect(200).body;
  const before = await stored();
  const watched = ['gateway', 'projects-templates'].map((name) => ({ name, memory: new Memory(platform.pid(name) ?? 0) }));
  const watching = watched.map(({ memory }) => memory.watch());
  for (const [what, status, code, body, headers] of refusedPublishes) {
    const answer = await publish(id, body(), headers);
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
  const { url } = (await publish(id, site({ ...files, 'plain.txt': 'plain' }))).expect(200).body;
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
  const { url } = (await publish(id, site({ 'own.txt': 'only here' }))).expect(200).body;
  const { hostname, port } = new URL(url);
  const [name] = hostname.split('.');
  expect((await visit(origin, `${url}/own.txt`)).text).toBe('only here');
  for (const host of [
    `${hostname}.evil.example`,
    `a.${hostname}`,
    `x${hostname}`,
    hostname.replace('.', '-'),
    'sites.localhost',
    `${name}.preview.localhost`,
    `${name}.localhost`,
    'evil.example',
    '127.0.0.1',
  ]) {
    const { status, text } = await visit(origin, `http://${host}:${port}/own.txt`);
    expect([host, status]).toEqual([host, 404]);
    expect(text).not.toContain('only here');
  }
});
