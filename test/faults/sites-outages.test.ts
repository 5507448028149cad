import { type Agency, agency } from '../harness/agency.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { sendForm, visit } from '../harness/visitor.ts';

let platform: TestPlatform;
let ours: Agency;
let site: { url: string; projectId: string };
beforeAll(async () => {
  platform = await startPlatform();
  ours = await agency(platform.facts);
  const { client } = (await ours.api.post('/clients', { email: 'owner@example.test', name: 'Owner' })).expect(201).body;
  await ours.api.patch(`/clients/${client.id}`, { status: 'active' });
  const { project } = (await ours.api.post('/projects', { client_email: client.email, name: 'Standing' })).expect(201).body;
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

const mayHaveCertificate = async (url: string) => (await platform.ask('sites', `/tls/ask?domain=${new URL(url).hostname}`)).status;

test('a proxy that makes certificates on demand is told for which hosts', async () => {
  await shows('first');
  expect([await mayHaveCertificate(site.url), await mayHaveCertificate(site.url.replace('//', '//nobody-'))]).toEqual([200, 404]);
});

test('with projects-templates away, what was visited is shown on, and what was not, and who sends a form, is told when to come back', async () => {
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
  // The gateway finds it again by itself, too.
  await ours.eventually(() => publish('second'));
  await shows('second');
});

test('with NATS away, another deploy shows all the same', async () => {
  await publish('third');
  await shows('third');
  await platform.stopProcess('nats');
  await publish('fourth');
  await shows('fourth');
  await platform.startProcess('nats');
  await publish('fifth');
  await shows('fifth');
});

test('with MongoDB away, what was visited is shown on; forms that were thanked for are kept, and no others', async () => {
  expect((await sent('first')).status).toBe(303);
  await platform.stopProcess('mongodb');
  expect(await shown()).toMatchObject({ status: 200, text: 'fifth' });
  const { status, headers } = await sent('lost');
  expect([status, headers['retry-after']]).toEqual([503, '2']);
  await platform.startProcess('mongodb');
  await ours.eventually(async () => expect((await sent('second')).status).toBe(303));
  expect(await messages()).toEqual(['second', 'first']);
});

test('with sites away, its visitors are told when to come back, and the API goes on', async () => {
  await platform.stopProcess('sites');
  const { status, headers } = await shown();
  expect([status, headers['retry-after']]).toEqual([503, '2']);
  (await ours.api.get('/projects')).expect(200);
  await platform.startProcess('sites');
  await shows('fifth');
});

test('a killed sites is back by itself', async () => {
  await platform.replace('sites');
  await shows('fifth');
});
