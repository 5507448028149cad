import type { Demo } from '@webkiln/dev-platform';
import { eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { sendForm, visit } from '../harness/visitor.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';

const clients = [
  { email: 'ana@lighthouse.example', name: 'Ana Costa', company: 'Lighthouse Yoga' },
  { email: 'ben@orchard.example', name: 'Ben Alder', company: 'Orchard Cider' },
  { email: 'kit@paperlane.example', name: 'Kit Moreau', company: 'Paper Lane Books' },
];
const plans = [
  { name: 'Care', price: 19, description: 'One small site, kept up to date.', max_sites: 1 },
  { name: 'Estate', price: 1490, interval: 'yearly', description: 'Many sites under one roof.', max_sites: 500 },
];
const agents = [
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
];
const pages = ['/', '/menu', '/', '/visit'];
const views = 120;
const orders = [
  { name: 'Noor Haddad', email: 'noor@example.com', day: '2027-03-06', order: 'Two rye loaves for Saturday, please.' },
  { name: 'Jonas Lind', email: 'jonas@example.com', day: '2027-03-08', order: 'A dozen cardamom buns, collected at nine.' },
];

/** Adds clients, sites, visits and webhook deliveries to the demo. Returns the records for detail pages. */
export async function seedDemo(origin: string, demo: Demo) {
  const api = new Api(`${origin}/api/v1`, demo.api_key);
  await using receiver = await WebhookReceiver.start();
  const { webhook } = (await api.post('/webhooks', { url: receiver.url, events: ['client.created', 'project.published'] })).expect(
    201,
  ).body;
  for (const plan of plans) (await api.post('/plans', plan)).expect(201);
  for (const client of clients) await addSite(api, demo, client);
  await settleOrders(api);
  await api.patch(`/projects/${demo.project_id}`, { tags: ['bakery', 'menu'], starred: true });
  const { url, project } = (await api.post(`/projects/${demo.project_id}/publish`, {})).expect(200).body;
  for (let view = 0; view < views; view++) {
    const path = pages[view % pages.length];
    await visit(origin, `${url}/t.gif?p=${path}`, { 'user-agent': agents[view % agents.length] ?? '' });
  }
  for (const order of orders) await sendForm(origin, `${url}/_forms/order`, order);
  await eventually(async () => {
    const { analytics } = (await api.get('/analytics')).expect(200).body;
    if (analytics.totalViews < views) throw new Error('not every view is counted yet');
    const { preview_image_url } = (await api.get(`/projects/${demo.project_id}`)).expect(200).body.project;
    if (preview_image_url === null) throw new Error('no picture yet');
    const { deliveries } = (await api.get(`/webhooks/${webhook.id}/deliveries`)).expect(200).body;
    if (deliveries.length === 0 || deliveries.some(({ status }: { status: string }) => status === 'pending'))
      throw new Error('not delivered');
  });
  return { clientId: String(project.org_client_id), projectId: demo.project_id, webhookId: String(webhook.id) };
}

async function addSite(api: Api, { plan_id, template_id }: Demo, fields: (typeof clients)[number]): Promise<void> {
  const { client } = (await api.post('/clients', { ...fields, plan_id })).expect(201).body;
  (await api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
  const body = { client_email: fields.email, name: fields.company, template_id };
  const { project } = (await api.post('/projects', body)).expect(201).body;
  (await api.post(`/projects/${project.id}/publish`, {})).expect(200);
}

/** Leaves orders in every status. */
async function settleOrders(api: Api): Promise<void> {
  const { orders } = (await api.get('/orders')).expect(200).body;
  const histories = [['paid'], [], ['failed'], ['paid', 'refunded']];
  for (const [at, { id }] of orders.entries()) {
    for (const status of histories[at % histories.length] ?? []) (await api.patch(`/orders/${id}`, { status })).expect(200);
  }
}
