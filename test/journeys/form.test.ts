import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { activeClient, makeProject } from '../contract/fixtures.ts';
import { agency } from '../harness/agency.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { sendForm, visit } from '../harness/visitor.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';

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
  const { url } = (await api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': page, 'visit.html': page } })).expect(200).body;
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
