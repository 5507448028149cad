import { randomUUID } from 'node:crypto';
import { nextDayTimeoutMs, withinOneDay } from '@webkiln/store/testing';
import { agency, eventually } from '../harness/agency.ts';
import { mailedLink, mailsTo } from '../harness/mails.ts';
import { setLimit, suspend } from '../harness/operator.ts';
import { changeLink, owner, Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { team } from '../harness/team.ts';
import { sendForm } from '../harness/visitor.ts';
import { makePlan, makeTemplate } from './fixtures.ts';

const platform = sharedPlatform();

// Messages and mails are counted per day.
beforeAll(() => withinOneDay(300_000), nextDayTimeoutMs);
beforeAll(async () => {
  await agency(); // connects the operator
});

/** An agency by its owner: its id, links that let people join or not, and what it sees of clients. */
async function someAgency() {
  const boss = await owner();
  const { organization } = (await boss.api.get('/account/session')).expect(200).body;
  const plan = await makePlan(boss.api, { max_sites: 1 });
  (await boss.api.patch(`/plans/${plan.id}`, { is_default: true })).expect(200);
  const linkTo = async (allows_joining: boolean) =>
    (await boss.api.post('/account/build-links', { prompt: 'A bakery', allows_joining })).expect(201).body.build_link.id as string;
  const clients = async () => (await boss.api.get('/clients')).expect(200).body.clients;
  const [open, closed] = [await linkTo(true), await linkTo(false)];
  return { boss, plan, id: organization.id as string, slug: organization.slug as string, open, closed, clients };
}

/** Somebody with an account and no organization. */
async function stranger(): Promise<Person> {
  const person = new Person();
  (await person.signUp({})).expect(200);
  await person.confirmEmail();
  return person;
}

const join = (person: Person, build_link_id: string) => person.api.post('/account/join', { build_link_id });
const goOn = (person: Person, organization_id: string) => person.api.post('/account/session/organization', { organization_id });
const links = '/account/build-links';

/** Somebody, by default with no organization yet, who has joined by the agency's link, and is there. */
async function joined({ id, open }: { id: string; open: string }, somebody?: Person): Promise<Person> {
  const person = somebody ?? (await stranger());
  (await join(person, open)).expect(200);
  (await goOn(person, id)).expect(200);
  return person;
}

test('joinOrganization: answers 200, makes one active client with the default plan however often it is asked, and mails no invitation', async () => {
  const { boss, plan, id, open, clients } = await someAgency();
  const ada = await stranger();
  const answers = await Promise.all([join(ada, open), join(ada, open), join(ada, open)]);
  expect(answers.map(({ status, body }) => [status, body.organization_id])).toEqual([1, 2, 3].map(() => [200, id]));
  (await join(ada, open)).expect(200);
  expect(await clients()).toMatchObject([{ email: ada.email, name: 'Ada', status: 'active', plan_id: plan.id }]);
  const [client] = await clients();
  expect((await boss.api.get(`/clients/${client.id}/joining`)).expect(200).body).toEqual({ build_link_id: open });
  (await goOn(ada, id)).expect(200);
  expect((await ada.api.get('/account/session')).expect(200).body).toMatchObject({ role: 'client', organization: { id } });
  expect(mailsTo(platform, ada.email).filter((mail) => mail.includes('/activate'))).toEqual([]);
});

test('joinOrganization: a client who was invited is let in by a link that lets nobody join, is not added again, and has not joined by it', async () => {
  const { boss, id, closed, clients } = await someAgency();
  const ada = await stranger();
  const { client } = (await boss.api.post('/clients', { email: ada.email.toUpperCase(), name: 'Invited' })).expect(201).body;
  (await join(ada, closed)).expect(200);
  expect(await clients()).toMatchObject([{ id: client.id, name: 'Invited', status: 'active' }]);
  expect((await boss.api.get(`/clients/${client.id}/joining`)).expect(200).body).toEqual({ build_link_id: null });
  (await goOn(ada, id)).expect(200);
  (await join(ada, closed)).expect(200);
});

test('joinOrganization: answers 403 joining_not_allowed alike for a link that lets nobody join, a deleted one and a guess, and adds nobody', async () => {
  const { boss, slug, open, closed, clients } = await someAgency();
  const ada = await stranger();
  (await boss.api.delete(`${links}/${open}`)).expect(200);
  const refusals = await Promise.all([closed, open, randomUUID()].map((link) => join(ada, link)));
  const texts = refusals.map((refusal) => refusal.expect(403, 'joining_not_allowed').body.error);
  expect(new Set(texts).size).toBe(1);
  (await ada.api.post('/account/join', { organization: slug })).expect(400, 'validation_failed');
  (await join(ada, slug)).expect(400, 'validation_failed');
  expect(await clients()).toEqual([]);
});

test('an agency is not found by its short name', async () => {
  const { slug } = await someAgency();
  const answers = await Promise.all(
    [slug, `none-${randomUUID()}`].map((guess) => fetch(`${platform.origins[0]}/api/build-organizations/${guess}`)),
  );
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
});

test('joinOrganization: answers 409 default_plan_missing, and says whom to ask, where the agency has no default plan any more', async () => {
  const { boss, plan, open, clients } = await someAgency();
  (await boss.api.patch(`/plans/${plan.id}`, { is_default: false })).expect(200);
  const { body } = (await join(await stranger(), open)).expect(409, 'default_plan_missing');
  expect(body.error).toContain('ask it');
  expect(await clients()).toEqual([]);
});

test.each(['suspended', 'churned'])('joinOrganization: answers 403 client_paused to a %s client', async (status) => {
  const { boss, open } = await someAgency();
  const ada = await stranger();
  const { client } = (await boss.api.post('/clients', { email: ada.email })).expect(201).body;
  (await boss.api.patch(`/clients/${client.id}`, { status })).expect(200);
  (await join(ada, open)).expect(403, 'client_paused');
});

test('joinOrganization: answers 403 quota_exceeded once those who joined have a tenth of the quota; the agency itself still adds clients', async () => {
  const { boss, id, open, clients } = await someAgency();
  await setLimit(id, 'clients', 20);
  // A limit reaches the service within a second; until then strangers become clients.
  const refused = await eventually(async () => {
    const ada = await stranger();
    return { ada, answer: (await join(ada, open)).expect(403, 'quota_exceeded') };
  });
  expect(refused.answer.body.error).toContain('ask it');
  const found = await clients();
  expect(found.length).toBeGreaterThanOrEqual(2);
  expect(found).not.toContainEqual(expect.objectContaining({ email: refused.ada.email }));
  (await boss.api.post('/clients', { email: refused.ada.email })).expect(201);
  (await join(refused.ada, open)).expect(200);
});

test('joinOrganization: answers 403 organization_suspended', async () => {
  const { id, open } = await someAgency();
  await suspend(id);
  (await join(await stranger(), open)).expect(403, 'organization_suspended');
});

test('joinOrganization: a member stays a member, and an API key is refused', async () => {
  const { boss, id, open, clients } = await someAgency();
  expect((await join(boss, open)).expect(200).body).toEqual({ organization_id: id });
  expect(await clients()).toEqual([]);
  const { api } = await agency();
  (await api.post('/account/join', { build_link_id: open })).expect(403, 'session_required');
});

test('updateBuildLink: answers 200, and from then on people may join by the link, or no longer', async () => {
  const { boss, open, closed } = await someAgency();
  const set = async (link: string, allows_joining: boolean) =>
    expect((await boss.api.patch(`${links}/${link}`, { allows_joining })).expect(200).body.build_link).toMatchObject({ allows_joining });
  await set(open, false);
  (await join(await stranger(), open)).expect(403, 'joining_not_allowed');
  await set(closed, true);
  (await join(await stranger(), closed)).expect(200);
});

test("updateBuildLink: answers 404 build_link_not_found to an unknown link, and to another organization's", async () => {
  const [ours, theirs] = [await someAgency(), await someAgency()];
  for (const link of [randomUUID(), theirs.closed])
    (await ours.boss.api.patch(`${links}/${link}`, { allows_joining: true })).expect(404, 'build_link_not_found');
});

test('createBuildLink, updateBuildLink: answer 409 default_plan_missing where people who join could have no plan', async () => {
  const { boss, plan, closed } = await someAgency();
  (await boss.api.patch(`/plans/${plan.id}`, { is_default: false })).expect(200);
  (await boss.api.post(links, { prompt: 'A bakery', allows_joining: true })).expect(409, 'default_plan_missing');
  (await boss.api.patch(`${links}/${closed}`, { allows_joining: true })).expect(409, 'default_plan_missing');
  (await boss.api.patch(`${links}/${closed}`, { allows_joining: false })).expect(200);
});

test('createBuildLink: a developer makes links, but answers 403 role_missing to one that lets people join', async () => {
  const { developer, owner: boss } = await team();
  const plan = await makePlan(boss.api);
  (await boss.api.patch(`/plans/${plan.id}`, { is_default: true })).expect(200);
  (await developer.api.post(links, { prompt: 'A bakery', allows_joining: true })).expect(403, 'role_missing');
  (await developer.api.post(links, { prompt: 'A bakery' })).expect(201);
});

test('getClientJoining: answers 404 for an unknown client', async () => {
  const { boss } = await someAgency();
  (await boss.api.get(`/clients/${randomUUID()}/joining`)).expect(404, 'client_not_found');
});

describe('removeClient', () => {
  const remove = ({ api }: Person, client: string) => api.post(`/clients/${client}/remove`, {});

  test('answers 200: access ends, the account cannot join again, and another one can in its place', async () => {
    const there = await someAgency();
    const ada = await joined(there, await owner());
    const client = (await there.clients()).find(({ email }: { email: string }) => email === ada.email);
    await setLimit(there.id, 'clients', 10);
    // A limit reaches the service within a second; until then strangers become clients, and are removed.
    await eventually(async () => {
      const refused = await join(await stranger(), there.open);
      for (const other of await there.clients()) if (other.id !== client.id) (await remove(there.boss, other.id)).expect(200);
      refused.expect(403, 'quota_exceeded');
    });
    expect((await remove(there.boss, client.id)).expect(200).body.client).toMatchObject({ id: client.id, status: 'churned' });
    (await remove(there.boss, client.id)).expect(200);
    await eventually(async () => expect((await ada.api.get('/projects')).status).toBe(401));
    (await ada.signIn()).expect(200);
    (await join(ada, there.open)).expect(403, 'client_paused');
    (await goOn(ada, there.id)).expect(404, 'organization_not_found');
    (await join(await stranger(), there.open)).expect(200);
    (await join(await stranger(), there.open)).expect(403, 'quota_exceeded');
  });

  test('an account that has changed its address since cannot join again either', async () => {
    const there = await someAgency();
    const ada = await joined(there, await owner());
    const [client] = await there.clients();
    (await remove(there.boss, client.id)).expect(200);
    await eventually(async () => expect((await ada.api.get('/projects')).status).toBe(401));
    (await ada.signIn()).expect(200);
    const newEmail = `new-${ada.email}`;
    (await ada.auth('/change-email', { newEmail, password: ada.password })).expect(200);
    (await ada.auth(await mailedLink(platform, ada.email, changeLink))).expect(302);
    (await ada.auth(await mailedLink(platform, newEmail, changeLink))).expect(302);
    expect((await ada.api.get('/account/session')).expect(200).body.account.email).toBe(newEmail);
    (await join(ada, there.open)).expect(403, 'client_paused');
    expect(await there.clients()).toHaveLength(1);
  });

  test('with a status the client comes back, as one of the agency itself', async () => {
    const there = await someAgency();
    const ada = await joined(there);
    const [client] = await there.clients();
    (await remove(there.boss, client.id)).expect(200);
    (await there.boss.api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
    expect(await there.clients()).toMatchObject([{ id: client.id, status: 'active' }]);
    expect((await there.boss.api.get(`/clients/${client.id}/joining`)).expect(200).body).toEqual({ build_link_id: null });
    (await ada.signIn()).expect(200);
    await eventually(async () => (await goOn(ada, there.id)).expect(200));
    (await remove(there.boss, client.id)).expect(409, 'client_not_joined');
  });

  test('answers 409 client_not_joined for a client who was invited, and 404 client_not_found for an unknown one', async () => {
    const { boss } = await someAgency();
    const { client } = (await boss.api.post('/clients', { email: 'ada@example.com' })).expect(201).body;
    (await remove(boss, client.id)).expect(409, 'client_not_joined');
    (await remove(boss, randomUUID())).expect(404, 'client_not_found');
  });
});

test('startBuild: clients who joined have a tenth of the projects together, while the agency itself still creates', async () => {
  const there = await someAgency();
  const [ada, bob] = [await joined(there), await joined(there)];
  await setLimit(there.id, 'projects', 19);
  const build = ({ api }: Person) => api.post('/account/build', { name: 'Bakery' });
  const known = async () => (await there.boss.api.get('/projects')).expect(200).body.projects as { id: string }[];
  // A limit reaches the service within a second; until then a project is made, and deleted again.
  const refused = await eventually(async () => {
    for (const { id } of await known()) (await there.boss.api.delete(`/projects/${id}`)).expect(200);
    (await build(ada)).expect(201);
    return (await build(bob)).expect(403, 'quota_exceeded');
  });
  expect(refused.body.error).toContain('1 projects together');
  const { client } = (await there.boss.api.post('/clients', { email: `${randomUUID()}@example.com` })).expect(201).body;
  (await there.boss.api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
  (await there.boss.api.post('/projects', { client_email: client.email, name: 'Ours' })).expect(201);
  (await build(there.boss)).expect(201);
});

test('what visitors send to sites of clients who joined is a tenth of the form submissions; other sites get the rest', async () => {
  const there = await someAgency();
  const [ada, bob] = [await joined(there), await joined(there)];
  const { project: own } = (await there.boss.api.post('/account/build', { name: 'Ours' })).expect(201).body;
  const [first, second] = await Promise.all(
    [ada, bob].map(async ({ api }) => (await api.post('/account/build', { name: 'Bakery' })).expect(201).body.project),
  );
  const send = async ({ id }: { id: string }) => {
    const { url } = (await there.boss.api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': 'Hi' } })).expect(200).body;
    return (await sendForm(platform.origins[0] ?? '', `${url}/_forms/contact`, { name: randomUUID() })).status;
  };
  await setLimit(there.id, 'form_submissions', 19);
  // A limit reaches the service within a second.
  await eventually(async () => expect(await send(first)).toBe(429));
  expect([await send(second), await send(own)]).toEqual([429, 303]);
});

test('form mails of sites of clients who joined are a tenth of the mails; those of other sites are sent', async () => {
  const there = await someAgency();
  const ada = await joined(there);
  await setLimit(there.id, 'mails', 10);
  const publish = async ({ api }: Person) => {
    const { id } = (await api.post('/account/build', { name: 'Bakery' })).expect(201).body.project;
    const { url } = (await there.boss.api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': 'Hi' } })).expect(200).body;
    return { id, url };
  };
  const send = ({ url }: { url: string }, name: string) => sendForm(platform.origins[0] ?? '', `${url}/_forms/contact`, { name });
  const [hers, ours] = [await publish(ada), await publish(there.boss)];
  const settings = `/projects/${ours.id}/forms/settings`;
  (await there.boss.api.patch(settings, { notification_email: there.boss.email })).expect(200);
  const formMails = ({ email }: Person) => mailsTo(platform, email).filter((mail) => mail.includes('Message-ID: <form.'));
  for (const name of ['Bea', 'Cleo', 'Dora']) await send(hers, name);
  for (const name of ['Bea', 'Cleo']) await send(ours, name);
  await eventually(() => expect(formMails(there.boss)).toHaveLength(2));
  await eventually(() => expect(formMails(ada)).toHaveLength(1));
});

test('clients who joined have a tenth of the requests together, while the agency itself still asks', async () => {
  const there = await someAgency();
  const [ada, bob] = [await joined(there), await joined(there)];
  await setLimit(there.id, 'requests', 100);
  const ask = ({ api }: Person) => api.get('/projects');
  const refused = await eventually(async () => (await ask(ada)).expect(429, 'rate_limited'));
  expect(refused.body.error).toContain('clients who joined by a link may send 10 requests');
  (await ask(bob)).expect(429, 'rate_limited');
  (await ask(there.boss)).expect(200);
});

test("startBuild: a client's project is the client's, within the plan, from public templates alone", async () => {
  const there = await someAgency();
  const { boss, clients } = there;
  const [hidden, offered] = [await makeTemplate(boss.api), await makeTemplate(boss.api, { is_public: true })];
  const ada = await joined(there);
  const build = (template_id: string) => ada.api.post('/account/build', { name: 'Bakery', template_id });
  (await build(hidden.id)).expect(404, 'template_not_found');
  const { project } = (await build(offered.id)).expect(201).body;
  const [client] = await clients();
  expect(project).toMatchObject({ org_client_id: client.id, template: offered.id });
  expect((await boss.api.get('/projects')).expect(200).body.projects).toMatchObject([{ id: project.id }]);
  (await build(offered.id)).expect(400, 'plan_limit_reached');
  // Without a plan a client who joined has three sites.
  (await boss.api.patch(`/clients/${client.id}`, { plan_id: null })).expect(200);
  for (let more = 0; more < 2; more++) (await build(offered.id)).expect(201);
  (await build(offered.id)).expect(400, 'plan_limit_reached');
});
