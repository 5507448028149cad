import { type Agency, agency } from '../harness/agency.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { visit } from '../harness/visitor.ts';

const [origin = ''] = sharedPlatform().origins;

let ours: Agency;
beforeAll(async () => {
  ours = await agency();
});

async function project() {
  const email = `${crypto.randomUUID()}@example.test`;
  const { client } = (await ours.api.post('/clients', { email, name: 'Client' })).expect(201).body;
  await ours.api.patch(`/clients/${client.id}`, { status: 'active' });
  const { id } = (await ours.api.post('/projects', { client_email: email, name: 'Draft' })).expect(201).body.project;
  const { preview_url } = (await ours.api.get(`/projects/${id}/preview`)).expect(200).body;
  return { id: String(id), clientId: String(client.id), url: String(preview_url) };
}

const shows = (url: string, status: number, text: string) =>
  ours.eventually(async () => expect(await visit(origin, url)).toMatchObject({ status, text: expect.stringContaining(text) }));

test('a preview shows every change of the draft, byte for byte, with no-referrer and noindex headers', async () => {
  const { id, url } = await project();
  await shows(url, 404, 'Nothing here yet');
  const page = '<html><head></head><body><h1>Rye</h1></body></html>';
  await ours.writeDraft(id, { 'index.html': page, 'menu.html': 'Menu' });
  await shows(url, 200, 'Rye');
  const home = await visit(origin, url);
  expect(home.text).toBe(page);
  expect(home.headers).toMatchObject({
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow',
    'cache-control': 'private, no-cache',
  });
  expect((await visit(origin, `${url}/menu`)).text).toBe('Menu');
  await shows(`${url}/_forms/contact`, 404, 'There is no page');
  (await ours.api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': 'published' } })).expect(200);
  await ours.writeDraft(id, { 'index.html': 'Spelt' });
  await shows(url, 200, 'Spelt');
});

test('a preview is paused while the client is suspended, and ends when the project is deleted', async () => {
  const { id, clientId, url } = await project();
  await ours.writeDraft(id, { 'index.html': 'Rye' });
  await shows(url, 200, 'Rye');
  await ours.api.patch(`/clients/${clientId}`, { status: 'suspended' });
  await shows(url, 503, 'paused');
  await ours.api.patch(`/clients/${clientId}`, { status: 'active' });
  await shows(url, 200, 'Rye');
  await ours.api.delete(`/projects/${id}`);
  await shows(url, 404, 'This preview has ended');
});

test('a preview address with an unknown or malformed token shows no draft', async () => {
  const { url } = await project();
  const { hostname, port } = new URL(url);
  const [, ...domain] = hostname.split('.');
  await shows(`http://${'a'.repeat(26)}.${domain.join('.')}:${port}/`, 404, 'This preview has ended');
  await shows(`http://x.${domain.join('.')}:${port}/`, 404, 'There is no site here');
});
