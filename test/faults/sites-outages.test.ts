import { MongoClient } from 'mongodb';
import { type Agency, agency } from '../harness/agency.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { sendForm, visit } from '../harness/visitor.ts';

let platform: TestPlatform;
let ours: Agency;
let site: { url: string; projectId: string };
beforeAll(async () => {
  platform = await startPlatform();
  ours = await agency(platform.facts, { rateLimit: 1_000_000 }); // polling needs many requests
  const { client } = (await ours.api.post('/clients', { email: 'owner@example.test', name: 'Owner' })).expect(201).body;
  await ours.api.patch(`/clients/${client.id}`, { status: 'active' });
  const { project } = (await ours.api.post('/projects', { client_email: client.email, name: 'Live' })).expect(201).body;
  site = { url: '', projectId: project.id };
  site.url = await publish('first');
});
afterAll(() => platform[Symbol.asyncDispose]());

async function publish(text: string): Promise<string> {
  const builtFiles = { 'index.html': text, 'late.html': `${text}, late` };
  return (await ours.api.post(`/projects/${site.projectId}/publish`, { builtFiles })).expect(200).body.url;
}

const shown = (url = site.url) => visit(platform.facts.origins[0] ?? '', url);
const sent = (message: string) => sendForm(platform.facts.origins[0] ?? '', `${site.url}/_forms/contact`, { message });
const messages = async () => {
  const { submissions } = (await ours.api.get(`/projects/${site.projectId}/forms/submissions`)).expect(200).body;
  return submissions.map(({ fields }: { fields: { message: string } }) => fields.message);
};
const shows = (text: string, url?: string) => ours.eventually(async () => expect(await shown(url)).toMatchObject({ status: 200, text }));

const mayHaveCertificate = async (url: string) =>
  (await platform.fetchInternal('sites', `/tls/ask?domain=${new URL(url).hostname}`)).status;

test('the certificate check allows published hosts and no others', async () => {
  await shows('first');
  expect([await mayHaveCertificate(site.url), await mayHaveCertificate(site.url.replace('//', '//nobody-'))]).toEqual([200, 404]);
});

test('without projects-templates, cached pages are served; other pages and forms get 503 with Retry-After', async () => {
  await shows('first');
  await platform.stopProcess('projects-templates');
  expect(await shown()).toMatchObject({ status: 200, text: 'first' });
  for (const url of [`${site.url}/late`, site.url.replace('//', '//unvisited-')]) {
    const { status, headers } = await shown(url);
    expect([status, headers['retry-after']]).toEqual([503, '2']);
  }
  const { status, headers } = await sent('lost');
  expect([status, headers['retry-after']]).toEqual([503, '2']);
  expect([await mayHaveCertificate(site.url), await mayHaveCertificate(site.url.replace('//', '//unasked-'))]).toEqual([200, 503]);
  await platform.startProcess('projects-templates');
  await shows('first, late', `${site.url}/late`);
  // The gateway reconnects without a restart.
  await ours.eventually(() => publish('second'));
  await shows('second');
});

test('without NATS, a new deploy is still served', async () => {
  await publish('third');
  await shows('third');
  await platform.stopProcess('nats');
  await publish('fourth');
  await shows('fourth');
  await platform.startProcess('nats');
  await publish('fifth');
  await shows('fifth');
});

test('without MongoDB, cached pages are served, and exactly the confirmed form submissions are kept', async () => {
  expect((await sent('first')).status).toBe(303);
  await platform.stopProcess('mongodb');
  expect(await shown()).toMatchObject({ status: 200, text: 'fifth' });
  const { status, headers } = await sent('lost');
  expect([status, headers['retry-after']]).toEqual([503, '2']);
  await platform.startProcess('mongodb');
  await ours.eventually(async () => expect((await sent('second')).status).toBe(303));
  expect(await messages()).toEqual(['second', 'first']);
});

test('without the sites service, visitors get 503 with Retry-After, and the API works', async () => {
  await platform.stopProcess('sites');
  const { status, headers } = await shown();
  expect([status, headers['retry-after']]).toEqual([503, '2']);
  (await ours.api.get('/projects')).expect(200);
  await platform.startProcess('sites');
  await shows('fifth');
});

test('while an index of the sites service cannot be made, published sites are served; once it can, all works without a restart', async () => {
  await using mongo = await MongoClient.connect(platform.facts.urls.MONGODB_URL);
  const images = mongo.db('webkiln_sites').collection('preview_images');
  const storeReady = () => platform.counterSum('sites', /^site_store_ready /);
  // The process that started in the test before may still make its indexes.
  await ours.eventually(async () => expect(await storeReady()).toBe(1));
  await images.dropIndex('drop_at_1');
  await images.createIndex({ drop_at: 1 });
  await platform.replace('sites', 'SIGTERM');
  await shows('fifth');
  expect(await storeReady()).toBe(0);
  await images.dropIndex('drop_at_1');
  await ours.eventually(async () => expect(await storeReady()).toBe(1));
  expect((await sent('third')).status).toBe(303);
});

test('a killed sites service recovers without help', async () => {
  await platform.replace('sites');
  await shows('fifth');
});
