import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { activeClient, makeProject } from '../contract/fixtures.ts';
import { type Agency, agency } from '../harness/agency.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { sendForm, visit } from '../harness/visitor.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

describe('a published site', () => {
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

  const pages = {
    'index.html': '<!doctype html><h1>Fresh bread</h1>',
    'menu.html': 'Menu',
    'style.css': 'body { color: red }'.repeat(100),
  };

  test('a published site serves pages without .html, brotli, ETags and ranges', async () => {
    const { url } = await publishedSite(pages);
    const home = await visit(origin, url);
    expect([home.status, home.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(home.text).toContain('<h1>Fresh bread</h1>');
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
    const { status, text: menu } = await visit(origin, `${url}/menu`);
    expect(status).toBe(200);
    expect((await visit(origin, `${origin}/menu`, { 'x-forwarded-host': host })).text).not.toBe(menu);
  });
});

describe('its webhook', () => {
  test('publishing delivers one signed webhook with the live project; a rollback and a refused publish deliver none', async () => {
    await using receiver = await WebhookReceiver.start();
    const { api, eventually } = await agency();
    const { webhook } = (await api.post('/webhooks', { url: receiver.url, events: ['project.published'] })).expect(201).body;
    const { id } = await makeProject(api);
    const publish = (builtFiles: object) => api.post(`/projects/${id}/publish`, { builtFiles });
    const first = (await publish({ 'index.html': '1' })).expect(200).body;
    (await publish({ 'about.html': 'no index' })).expect(400);
    (await publish({ 'index.html': '2' })).expect(200);
    (await api.post(`/projects/${id}/deploys/${first.deployId}/rollback`)).expect(200);
    (await publish({ 'index.html': '3' })).expect(200);
    const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    await eventually(() => expect(ids().size).toBe(3));
    for (const { body, headers } of receiver.received) {
      expect(new Webhook(webhook.secret).verify(body, headers)).toMatchObject({
        type: 'project.published',
        data: { project: { id, published_url: first.url, subdomain: first.project.subdomain } },
      });
    }
  });
});

describe('a preview', () => {
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
});

describe('a form', () => {
  const { origins, mailFolder } = sharedPlatform();
  const [origin = ''] = origins;

  const mailsTo = (email: string) =>
    readdirSync(mailFolder)
      .filter((name) => name.includes(email))
      .map((name) => readFileSync(path.join(mailFolder, name), 'utf8'));

  test('a form sent without JavaScript gets a thank-you page, is listed, mailed and delivered to a webhook; spam is not', async () => {
    await using receiver = await WebhookReceiver.start();
    const { api, eventually } = await agency();
    const { webhook } = (await api.post('/webhooks', { url: receiver.url, events: ['form.submitted'] })).expect(201).body;
    const client = await activeClient(api);
    const { id } = await makeProject(api, client, { name: 'Harbour Bakery' });
    const page = '<form method="post" action="/_forms/order"><input name="name"><input name="bread"><input name="_gotcha" hidden></form>';
    const { url } = (await api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': page, 'visit.html': page } })).expect(
      200,
    ).body;
    expect((await visit(origin, `${url}/visit`)).text).toContain('action="/_forms/order"');

    const fields = { name: 'Ada', email: 'ada@example.org', bread: 'Rye', _gotcha: '' };
    const browser = { origin: url, referer: `${url}/visit` };
    const sent = await sendForm(origin, `${url}/_forms/order`, fields, browser);
    expect([sent.status, sent.headers.location]).toEqual([303, '/_forms/order/thanks']);
    const thanks = await visit(origin, `${url}${sent.headers.location}`);
    expect([thanks.status, thanks.text]).toEqual([200, expect.stringContaining('Thank you')]);
    expect((await sendForm(origin, `${url}/_forms/order`, { ...fields, _gotcha: 'x' }, browser)).status).toBe(303);

    const { _gotcha, ...kept } = fields;
    const { submissions, total } = (await api.get(`/projects/${id}/forms/submissions`)).expect(200).body;
    expect([total, submissions]).toEqual([1, [expect.objectContaining({ form: 'order', page: '/visit', fields: kept, spam: false })]]);

    await eventually(() => {
      expect(receiver.received.length).toBeGreaterThan(0);
      expect(mailsTo(client.email).some((mail) => mail.includes('Harbour Bakery: order'))).toBe(true);
    });
    const [{ id: submission, submitted_at }] = submissions;
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const { body, headers } of receiver.received) {
      expect(new Webhook(webhook.secret).verify(body, headers)).toMatchObject({
        type: 'form.submitted',
        data: { form: { id: submission, name: 'order', page: '/visit', fields: kept, submitted_at }, project: { id, published_url: url } },
      });
    }
    expect(mailsTo(client.email).find((mail) => mail.includes('Harbour Bakery: order'))).toMatch(/^Reply-To: ada@example\.org$/m);
  });

  test('a site refuses a form submission from another site', async () => {
    const { api } = await agency();
    const { id } = await makeProject(api, undefined, { name: 'Harbour Bakery' });
    const { url } = (await api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': 'Hi' } })).expect(200).body;
    expect((await sendForm(origin, `${url}/_forms/contact`, { a: 'b' }, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await api.get(`/projects/${id}/forms`)).expect(200).body).toEqual({ forms: [], total: 0 });
  });
});
