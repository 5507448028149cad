import { randomUUID } from 'node:crypto';
import { makeView } from '../../services/analytics/src/testing/make-view.ts';
import { makePlan, makeProject, makeTemplate, makeWebhook } from '../contract/fixtures.ts';
import { agency, eventually } from './agency.ts';
import type { Api } from './api.ts';
import { chat } from './chat.ts';
import { connectedAgent } from './connected-agent.ts';
import { addMember, writeDraft } from './operator.ts';
import { owner, type Person } from './person.ts';
import { sharedPlatform } from './shared-platform.ts';
import { publishViews } from './views.ts';
import { sendForm } from './visitor.ts';

/** An organization with records of every kind; those with a name or address have `mark` in it. */
export interface FullOrganization {
  readonly id: string;
  readonly mark: string;
  readonly boss: Person;
  readonly api: Api;
  readonly project: { readonly id: string; readonly url: string };
  readonly template: { readonly id: string };
  /** All that were shown once. */
  readonly secrets: readonly string[];
}

/** Makes an organization with at least one record of each kind, as its owner. */
export async function fullOrganization(platform = sharedPlatform()): Promise<FullOrganization> {
  // Connects to the platform as an operator.
  await agency(platform);
  const boss = await owner({ platform });
  const { api } = boss;
  const { id } = (await api.get('/account/session')).expect(200).body.organization;
  const mark = `mark-${randomUUID()}`;
  await addMember(id, `${mark}@example.com`);
  (await api.post('/account/invitations', { email: `invited-${mark}@example.com`, role: 'viewer' })).expect(201);
  const key = (await api.post('/account/keys', { name: mark, permissions: ['read'] })).expect(201).body;
  const embedded = { name: mark, allowed_origins: ['https://app.example.com'] };
  const embed = (await api.post('/account/embed-clients', embedded)).expect(201).body;
  const plan = await makePlan(api, { name: mark });
  const invited = { email: `client-${mark}@example.com`, name: mark, plan_id: plan.id };
  const { client } = (await api.post('/clients', invited)).expect(201).body;
  (await api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
  const project = await makeProject(api, client, { name: mark });
  const builtFiles = { 'index.html': `<h1>${mark} live</h1><form method="post" action="/_forms/order"><input name="name"></form>` };
  const { url } = (await api.post(`/projects/${project.id}/publish`, { builtFiles })).expect(200).body;
  const label = new URL(url).hostname.split('.')[0];
  for (const subdomain of [`left-${mark}`, label]) (await api.post(`/projects/${project.id}/domains`, { subdomain })).expect(201);
  await writeDraft(id, project.id, { 'index.html': `${mark} draft`, 'deep/page.html': 'x'.repeat(1_500_000) });
  (await api.post(`/projects/${project.id}/domains`, { domain: `www.${mark}.com` })).expect(201);
  // The composer changes no site that it has not made.
  await chat({ api, project }, `Hello ${mark}`);
  (await api.post('/account/build-links', { prompt: mark })).expect(201);
  const template = await makeTemplate(api, { name: mark, source_project_id: project.id });
  const agent = await connectedAgent(boss);
  const webhook = await makeWebhook(api, { url: `https://127.0.0.1/${mark}`, events: ['form.submitted'] });
  await makeTraffic(platform, url, mark);
  await eventually(async () => {
    expect((await api.get(`/analytics?project_id=${project.id}`)).expect(200).body.analytics.totalViews).toBe(1);
    expect((await api.get(`/projects/${project.id}/forms/submissions`)).expect(200).body.total).toBe(1);
  });
  return {
    id,
    mark,
    boss,
    api,
    project: { id: project.id, url },
    template,
    secrets: [webhook.secret, key.secret, embed.secret, agent.accessToken, agent.refreshToken],
  };
}

/** A sent form and a view. */
async function makeTraffic({ origins, urls }: ReturnType<typeof sharedPlatform>, url: string, mark: string): Promise<void> {
  const sent = await sendForm(origins[0] ?? '', `${url}/_forms/order`, { name: mark }, { origin: url, referer: `${url}/` });
  expect(sent.status).toBe(303);
  const site = new URL(url).hostname.split('.')[0] ?? '';
  await publishViews(urls.NATS_URL, [makeView(site, { path: `/${mark}` })]);
}
