import { randomUUID } from 'node:crypto';
import { agency, eventually } from '../harness/agency.ts';
import { mailsTo } from '../harness/mails.ts';
import { setLimit, suspend } from '../harness/operator.ts';
import { owner, Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { makePlan, makeTemplate } from './fixtures.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

beforeAll(async () => {
  await agency(); // connects the operator
});

/** An agency by its owner: its id, its short name and what it sees of clients. */
async function someAgency() {
  const boss = await owner();
  const { organization } = (await boss.api.get('/account/session')).expect(200).body;
  const clients = async () => (await boss.api.get('/clients')).expect(200).body.clients;
  return { boss, id: organization.id as string, slug: organization.slug as string, clients };
}

/** Somebody with an account and no organization. */
async function stranger(): Promise<Person> {
  const person = new Person();
  (await person.signUp({})).expect(200);
  await person.verify();
  (await person.signIn()).expect(200);
  return person;
}

async function defaultPlan({ api }: Person): Promise<{ id: string }> {
  const plan = await makePlan(api, { max_sites: 1 });
  (await api.patch(`/plans/${plan.id}`, { is_default: true })).expect(200);
  return plan;
}

const join = (person: Person, organization: string) => person.api.post('/account/join', { organization });
const goOn = (person: Person, organization_id: string) => person.api.post('/account/session/organization', { organization_id });

test('joinOrganization: answers 200, makes one active client with the default plan however often it is asked, and mails no invitation', async () => {
  const { boss, id, slug, clients } = await someAgency();
  const plan = await defaultPlan(boss);
  const ada = await stranger();
  const answers = await Promise.all([join(ada, slug), join(ada, slug), join(ada, slug)]);
  expect(answers.map(({ status, body }) => [status, body.organization_id])).toEqual([1, 2, 3].map(() => [200, id]));
  (await join(ada, slug)).expect(200);
  expect(await clients()).toMatchObject([{ email: ada.email, name: 'Ada', status: 'active', plan_id: plan.id }]);
  (await goOn(ada, id)).expect(200);
  expect((await ada.api.get('/account/session')).expect(200).body).toMatchObject({ role: 'client', organization: { id } });
  expect(mailsTo(platform, ada.email).filter((mail) => mail.includes('/activate'))).toEqual([]);
});

test('joinOrganization: a client who was invited becomes active, and is not added a second time', async () => {
  const { boss, id, slug, clients } = await someAgency();
  const ada = await stranger();
  const { client } = (await boss.api.post('/clients', { email: ada.email.toUpperCase(), name: 'Invited' })).expect(201).body;
  (await join(ada, slug)).expect(200);
  expect(await clients()).toMatchObject([{ id: client.id, name: 'Invited', status: 'active' }]);
  (await goOn(ada, id)).expect(200);
});

test.each(['suspended', 'churned'])('joinOrganization: answers 403 client_paused to a %s client', async (status) => {
  const { boss, slug } = await someAgency();
  const ada = await stranger();
  const { client } = (await boss.api.post('/clients', { email: ada.email })).expect(201).body;
  (await boss.api.patch(`/clients/${client.id}`, { status })).expect(200);
  (await join(ada, slug)).expect(403, 'client_paused');
});

test('joinOrganization: answers 403 quota_exceeded, and says whom to ask, once the agency has all the clients that it may have', async () => {
  const { id, slug, clients } = await someAgency();
  await setLimit(id, 'clients', 0);
  // A limit reaches the service within a second; until then strangers become clients.
  const refused = await eventually(async () => {
    const ada = await stranger();
    return { ada, answer: (await join(ada, slug)).expect(403, 'quota_exceeded') };
  });
  expect(refused.answer.body.error).toContain('ask it');
  expect(await clients()).not.toContainEqual(expect.objectContaining({ email: refused.ada.email }));
});

test('joinOrganization: answers 403 organization_suspended, and 404 organization_not_found to an unknown short name', async () => {
  const { id, slug } = await someAgency();
  await suspend(id);
  const ada = await stranger();
  (await join(ada, slug)).expect(403, 'organization_suspended');
  (await join(ada, `none-${randomUUID()}`)).expect(404, 'organization_not_found');
});

test('joinOrganization: a member stays a member, and an API key is refused', async () => {
  const { boss, id, slug, clients } = await someAgency();
  expect((await join(boss, slug)).expect(200).body).toEqual({ organization_id: id });
  expect(await clients()).toEqual([]);
  const { api } = await agency();
  (await api.post('/account/join', { organization: slug })).expect(403, 'session_required');
});

test("startBuild: a client's project is the client's, within the plan, from public templates alone", async () => {
  const { boss, id, slug, clients } = await someAgency();
  await defaultPlan(boss);
  const [hidden, offered] = [await makeTemplate(boss.api), await makeTemplate(boss.api, { is_public: true })];
  const ada = await stranger();
  (await join(ada, slug)).expect(200);
  (await goOn(ada, id)).expect(200);
  const build = (template_id: string) => ada.api.post('/account/build', { name: 'Bakery', template_id });
  (await build(hidden.id)).expect(404, 'template_not_found');
  const { project } = (await build(offered.id)).expect(201).body;
  const [client] = await clients();
  expect(project).toMatchObject({ org_client_id: client.id, template: offered.id });
  expect((await boss.api.get('/projects')).expect(200).body.projects).toMatchObject([{ id: project.id }]);
  (await build(offered.id)).expect(400, 'plan_limit_reached');
  (await boss.api.patch(`/clients/${client.id}`, { plan_id: null })).expect(200);
  (await build(offered.id)).expect(201);
});

test('the agency of a link is shown to strangers by its short name and with a stored link; an unknown one answers 404', async () => {
  const { boss, id, slug } = await someAgency();
  const { build_link } = (await boss.api.post('/account/build-links', { prompt: 'A bakery' })).expect(201).body;
  const shown = async (path: string) => (await fetch(`${origin}${path}`)).json() as Promise<{ organization: unknown }>;
  const organization = { id, slug, name: `Studio ${boss.email}`, logo: null, accent: null };
  expect((await shown(`/api/build-organizations/${slug}`)).organization).toEqual(organization);
  expect((await shown(`/api/build-links/${build_link.id}`)).organization).toEqual(organization);
  expect((await fetch(`${origin}/api/build-organizations/none-${randomUUID()}`)).status).toBe(404);
});
