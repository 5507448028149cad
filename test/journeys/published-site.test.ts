import { type Agency, agency } from '../harness/agency.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { visit } from '../harness/visitor.ts';

const [origin = ''] = sharedPlatform().origins;
const email = () => `${crypto.randomUUID()}@example.test`;

let ours: Agency;
beforeAll(async () => {
  ours = await agency();
});

async function publishedSite(builtFiles: Record<string, string>) {
  const { client } = (await ours.api.post('/clients', { email: email(), name: 'Client' })).expect(201).body;
  await ours.api.patch(`/clients/${client.id}`, { status: 'active' });
  const { project } = (await ours.api.post('/projects', { client_email: client.email, name: `Harbour ${crypto.randomUUID()}` })).expect(
    201,
  ).body;
  const { url } = (await ours.api.post(`/projects/${project.id}/publish`, { builtFiles })).expect(200).body;
  return { url: String(url), projectId: String(project.id), clientId: String(client.id) };
}

const pages = { 'index.html': '<h1>Fresh bread</h1>', 'menu.html': 'Menu', 'style.css': 'body { color: red }'.repeat(100) };

test('a published site serves pages without .html, brotli, ETags and ranges', async () => {
  const { url } = await publishedSite(pages);
  const home = await visit(origin, url);
  expect([home.status, home.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(home.text).toContain(pages['index.html']);
  expect(home.text).toContain('<script defer src="/t.js"></script>');
  expect((await visit(origin, `${url}/menu`)).text).toBe('Menu');
  expect((await visit(origin, `${url}/nothing`)).status).toBe(404);
  const style = await visit(origin, `${url}/style.css`, { 'accept-encoding': 'gzip, br' });
  expect([style.status, style.headers['content-encoding']]).toEqual([200, 'br']);
  const again = await visit(origin, `${url}/style.css`, { 'accept-encoding': 'gzip, br', 'if-none-match': style.headers.etag ?? '' });
  expect(again.status).toBe(304);
  expect((await visit(origin, `${url}/style.css`, { range: 'bytes=0-3' })).text).toBe('body');
});

test('a site shows a new deploy, a rollback and the deletion of its project', async () => {
  const { url, projectId } = await publishedSite(pages);
  const shows = (text: string) => ours.eventually(async () => expect((await visit(origin, url)).text).toContain(text));
  await shows('Fresh bread');
  const { deployId } = (await ours.api.post(`/projects/${projectId}/publish`, { builtFiles: { 'index.html': 'Rye' } })).expect(200).body;
  await shows('Rye');
  const { deploys } = (await ours.api.get(`/projects/${projectId}/deploys`)).expect(200).body;
  const earlier = deploys.find(({ id }: { id: string }) => id !== deployId);
  (await ours.api.post(`/projects/${projectId}/deploys/${earlier.id}/rollback`)).expect(200);
  await shows('Fresh bread');
  (await ours.api.delete(`/projects/${projectId}`)).expect(200);
  await shows('There is no site here');
});

test('the site of a suspended client is paused until the client is active again', async () => {
  const { url, clientId } = await publishedSite(pages);
  const answers = (status: number) => ours.eventually(async () => expect((await visit(origin, url)).status).toBe(status));
  await answers(200);
  (await ours.api.patch(`/clients/${clientId}`, { status: 'suspended' })).expect(200);
  await answers(503);
  (await ours.api.patch(`/clients/${clientId}`, { status: 'active' })).expect(200);
  await answers(200);
});

test('sites and the platform never answer at the address of the other', async () => {
  const { url } = await publishedSite({ ...pages, 'api/v1/projects.html': 'not the API' });
  expect((await visit(origin, `${url}/api/v1/projects`, { authorization: `Bearer ${ours.api.key}` })).text).toBe('not the API');
  const { host } = new URL(url);
  const above = new URL(url.replace(/\/\/[^.]+\./, '//'));
  expect((await visit(origin, `${above.origin}/api/v1/docs.json`)).status).toBe(404);
  expect((await visit(origin, `${origin}/menu`, { 'x-forwarded-host': host })).status).toBe(404);
});
