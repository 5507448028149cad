import { randomUUID } from 'node:crypto';
import { Project } from '@webkiln/contract';
import { makeView } from '../../services/analytics/src/testing/make-view.ts';
import { type Agency, agency, eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { mailsTo } from '../harness/mails.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { activationLink, clientUser } from '../harness/team.ts';
import { publishViews } from '../harness/views.ts';
import { sendForm, visit } from '../harness/visitor.ts';
import { activeClient, inviteClient, makePlan, makeProject, someEmail } from './fixtures.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

describe('the agency as its own client', () => {
  let boss: Person;
  beforeAll(async () => {
    boss = await owner();
  });
  const clients = async () => (await boss.api.get('/clients')).expect(200).body.clients;
  const newKey = async () =>
    (await boss.api.post('/account/keys', { name: 'Agent', permissions: ['read', 'write'] })).expect(201).body.secret as string;

  test("createProject: answers 404 client_not_found to the address of another organization's member", async () => {
    (await boss.api.post('/projects', { client_email: (await owner()).email, name: 'A' })).expect(404, 'client_not_found');
  });

  test("createProject, listClients, listAudit: a member's own address makes the organization a client of its own, by two calls at once one", async () => {
    expect(await clients()).toEqual([]);
    const create = (name: string) => boss.api.post('/projects', { client_email: boss.email.toUpperCase(), name });
    const made = (await Promise.all([create('One'), create('Two')])).map((answer) => answer.expect(201).body.project);
    const studio = `Studio ${boss.email}`;
    const [client, ...more] = await clients();
    expect([client, more]).toMatchObject([{ email: boss.email, name: studio, company: studio, status: 'active', plan_id: null }, []]);
    expect(made).toMatchObject([{ org_client_id: client.id }, { org_client_id: client.id }]);
    await eventually(async () => {
      const { entries } = (await boss.api.get('/account/audit')).expect(200).body;
      expect(entries.filter(({ action }: { action: string }) => action === 'client.created')).toMatchObject([
        { actor: { kind: 'account', email: boss.email }, target: { id: client.id } },
      ]);
    });
    expect(mailsTo(platform, boss.email).filter((mail) => activationLink.test(mail))).toEqual([]);
  });

  test('an agent with an API key makes a project for the agency itself with create_project', async () => {
    const { project } = await new Agent(await newKey()).use('create_project', { client_email: boss.email, name: 'Three' });
    expect(project).toMatchObject({ name: 'Three', org_client_id: (await clients())[0].id });
  });
});

describe('handOverProject', () => {
  let ours: Agency;
  beforeAll(async () => {
    ours = await agency();
  });
  const handOver = (id: string, client_email: string) => ours.api.post(`/projects/${id}/handover`, { client_email });

  test('answers 200 with the project of the new client, which keeps its address and what it has', async () => {
    const project = await makeProject(ours.api);
    const { url } = (await ours.api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': '<h1>Hi</h1>' } })).expect(
      200,
    ).body;
    const next = await activeClient(ours.api);
    const { body } = (await handOver(project.id, next.email.toUpperCase())).expect(200);
    expect([Object.keys(body), Project.safeParse(body.project).success]).toEqual([['project'], true]);
    expect(body.project).toMatchObject({ id: project.id, name: project.name, org_client_id: next.id, published_url: url });
    expect((await ours.api.get(`/projects/${project.id}`)).expect(200).body).toEqual(body);
    expect((await visit(origin, url)).text).toContain('<h1>Hi</h1>');
  });

  test('answers 404 project_not_found to an unknown project', async () => {
    (await handOver(randomUUID(), (await activeClient(ours.api)).email)).expect(404, 'project_not_found');
  });

  test('answers 404 client_not_found to an unknown client_email', async () => {
    (await handOver((await makeProject(ours.api)).id, someEmail())).expect(404, 'client_not_found');
  });

  test('answers 400 client_not_active for a client who has not activated the account', async () => {
    const { email } = await inviteClient(ours.api);
    (await handOver((await makeProject(ours.api)).id, email)).expect(400, 'client_not_active');
  });

  test("answers 400 plan_limit_reached where the new client's plan has no site left, and names the limit", async () => {
    const care = await makePlan(ours.api, { name: 'Care', max_sites: 1, price: 0 });
    const full = await activeClient(ours.api, { plan_id: care.id });
    await makeProject(ours.api, full);
    const refused = (await handOver((await makeProject(ours.api)).id, full.email)).expect(400, 'plan_limit_reached').body;
    expect(refused.details).toMatchObject([{ plan_limit: { limit: 'max_sites', allowed: 1, used: 1 } }]);
  });

  test('answers 400 validation_failed to a body without client_email', async () => {
    const { id } = await makeProject(ours.api);
    (await ours.api.post(`/projects/${id}/handover`, {})).expect(400, 'validation_failed');
  });

  test('answers the same to a repeated Idempotency-Key, and 422 if its body differs', async () => {
    const { id } = await makeProject(ours.api);
    const [next, other] = [await activeClient(ours.api), await activeClient(ours.api)];
    const keyed = (client_email: string) =>
      ours.api.post(`/projects/${id}/handover`, { client_email }, { 'idempotency-key': `handover ${id}` });
    const first = (await keyed(next.email)).expect(200).body;
    expect((await keyed(next.email)).expect(200).body).toEqual(first);
    (await keyed(other.email)).expect(422, 'idempotency_key_reused');
  });
});

test('listProjects, listSubmissions, getFormSettings, getAnalytics: after a handover the new client sees all of the site, and the other nothing', async () => {
  const boss = await owner();
  const [before, after] = [await clientUser(boss), await clientUser(boss)];
  const { id } = await makeProject(boss.api, before.client);
  const { url } = (await boss.api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': '<h1>Hi</h1>' } })).expect(200).body;
  expect((await sendForm(origin, `${url}/_forms/contact`, { name: 'Ada' })).status).toBe(303);
  (await before.person.api.patch(`/projects/${id}/forms/settings`, { notify: false })).expect(200);
  const [name = ''] = new URL(url).hostname.split('.');
  await publishViews(platform.urls.NATS_URL, [makeView(name, {}), makeView(name, {})]);
  const views = async ({ api }: Person) => (await api.get('/analytics')).expect(200).body.analytics.totalViews;
  await eventually(async () => expect(await views(before.person)).toBe(2));

  (await boss.api.post(`/projects/${id}/handover`, { client_email: after.client.email })).expect(200);
  await eventually(async () => {
    const { entries } = (await boss.api.get('/account/audit')).expect(200).body;
    const handedOver = { action: 'project.handed_over', actor: { email: boss.email }, target: { kind: 'project', id } };
    expect(entries.filter(({ action }: { action: string }) => action === handedOver.action)).toMatchObject([handedOver]);
  });
  expect((await before.person.api.get('/projects')).expect(200).body.total).toBe(0);
  for (const path of ['', '/forms/submissions', '/forms/settings']) (await before.person.api.get(`/projects/${id}${path}`)).expect(404);
  const { api } = after.person;
  expect((await api.get('/projects')).expect(200).body).toMatchObject({ total: 1, projects: [{ id, published_url: url }] });
  await eventually(async () => {
    expect((await api.get(`/projects/${id}/forms/submissions`)).expect(200).body.total).toBe(1);
    expect((await api.get(`/projects/${id}/forms/settings`)).expect(200).body.settings.notify).toBe(false);
    expect([await views(before.person), await views(after.person)]).toEqual([0, 2]);
  });

  // What is sent from then on is the new client's too.
  (await api.patch(`/projects/${id}/forms/settings`, { notify: true })).expect(200);
  expect((await sendForm(origin, `${url}/_forms/contact`, { name: 'Grace' })).status).toBe(303);
  await eventually(() => expect(mailsTo(platform, after.client.email).filter((mail) => mail.includes('Grace'))).toHaveLength(1));
  expect(mailsTo(platform, before.client.email).filter((mail) => mail.includes('Grace'))).toEqual([]);
  await publishViews(platform.urls.NATS_URL, [makeView(name, {})]);
  await eventually(async () => expect([await views(before.person), await views(after.person)]).toEqual([0, 3]));
});
