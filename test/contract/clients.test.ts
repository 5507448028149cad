import { randomUUID } from 'node:crypto';
import { Client, Plan, PlanUse } from '@webkiln/contract';
import { nextDayTimeoutMs, withinOneDay } from '@webkiln/store/testing';
import { makeView } from '../../services/analytics/src/testing/make-view.ts';
import { type Agency, agency, eventually } from '../harness/agency.ts';
import type { Api } from '../harness/api.ts';
import { setLimit } from '../harness/operator.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser } from '../harness/team.ts';
import { publishViews } from '../harness/views.ts';
import { sendForm } from '../harness/visitor.ts';
import { activeClient, inviteClient, makePlan, makeProject, someEmail } from './fixtures.ts';

const platform = sharedPlatform();

describe('clients', () => {
  let ours: Agency;
  let theirs: Agency;
  beforeAll(async () => {
    [ours, theirs] = await Promise.all([agency(), agency()]);
  });

  test('createClient: answers 201 with an invited client that has exactly the contract fields', async () => {
    const email = someEmail();
    const { body } = (await ours.api.post('/clients', { email, name: 'Ada', company: 'Loaf & Co' })).expect(201);
    expect(Object.keys(body)).toEqual(['client']);
    expect(Object.keys(body.client).sort()).toEqual(Object.keys(Client.shape).sort());
    expect(body.client).toMatchObject({
      email,
      name: 'Ada',
      company: 'Loaf & Co',
      status: 'invited',
      plan_id: null,
      payment_status: 'none',
    });
    expect(Client.safeParse(body.client).success).toBe(true);
  });

  test('createClient: attaches a plan of the organization', async () => {
    const plan = await makePlan(ours.api);
    expect((await inviteClient(ours.api, { plan_id: plan.id })).plan_id).toBe(plan.id);
  });

  test('createClient: answers 400 email_taken to an existing email in any case', async () => {
    const { email } = await inviteClient(ours.api);
    (await ours.api.post('/clients', { email: email.toUpperCase() })).expect(400, 'email_taken');
  });

  test('createClient: two organizations can have a client with the same email', async () => {
    const { email } = await inviteClient(ours.api);
    expect((await inviteClient(theirs.api, { email })).email).toBe(email);
  });

  test("createClient: answers 400 plan_unknown to another organization's plan, and stores nothing", async () => {
    const foreign = await makePlan(theirs.api);
    const email = someEmail();
    (await ours.api.post('/clients', { email, plan_id: foreign.id })).expect(400, 'plan_unknown');
    (await ours.api.post('/clients', { email })).expect(201);
  });

  test('listClients: lists only the clients of the organization, newest first, with the total', async () => {
    const { api } = await agency();
    const first = await inviteClient(api);
    const second = await inviteClient(api);
    const { body, headers } = (await api.get('/clients')).expect(200);
    expect(body.clients.map(({ id }: Client) => id)).toEqual([second.id, first.id]);
    expect(body.total).toBe(2);
    expect(headers.get('x-total-count')).toBe('2');
  });

  test('listClients: accepts limit and offset, and links to the next page', async () => {
    const { api } = await agency();
    const made = [await inviteClient(api), await inviteClient(api), await inviteClient(api)];
    const { body, headers } = (await api.get('/clients?limit=1&offset=1')).expect(200);
    expect(body.clients.map(({ id }: Client) => id)).toEqual([made[1]?.id]);
    const [, query] = /\?(limit=1&offset=2&cursor=[\w-]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
    await inviteClient(api);
    const last = (await api.get(`/clients?${query}`)).expect(200);
    expect(last.body.clients.map(({ id }: Client) => id)).toEqual([made[0]?.id]);
    expect([last.body.total, last.headers.get('link')?.includes('rel="next"')]).toEqual([4, false]);
  });

  test('getClient: answers 200 with the client and its ETag', async () => {
    const client = await inviteClient(ours.api);
    const { body, headers } = (await ours.api.get(`/clients/${client.id}`)).expect(200);
    expect(body).toEqual({ client });
    expect(headers.get('etag')).toMatch(/^"r\d+"$/);
  });

  test('updateClient: changes only the fields in the body', async () => {
    const client = await inviteClient(ours.api, { name: 'Ada', company: 'Loaf' });
    const { body } = (await ours.api.patch(`/clients/${client.id}`, { company: 'Crumb' })).expect(200);
    expect(body.client).toEqual({ ...client, company: 'Crumb' });
  });

  test.each(['active', 'suspended', 'churned', 'invited'])('updateClient: sets the status %s', async (status) => {
    const { id } = await inviteClient(ours.api);
    expect((await ours.api.patch(`/clients/${id}`, { status })).expect(200).body.client.status).toBe(status);
  });

  test('updateClient: clears name, company and plan with null', async () => {
    const plan = await makePlan(ours.api);
    const client = await inviteClient(ours.api, { name: 'Ada', company: 'Loaf', plan_id: plan.id });
    const { body } = (await ours.api.patch(`/clients/${client.id}`, { name: null, company: null, plan_id: null })).expect(200);
    expect(body.client).toEqual({ ...client, name: null, company: null, plan_id: null });
  });

  test('updateClient: answers 400 to an unknown plan and changes nothing', async () => {
    const client = await inviteClient(ours.api);
    (await ours.api.patch(`/clients/${client.id}`, { name: 'New', plan_id: client.id })).expect(400, 'plan_unknown');
    expect((await ours.api.get(`/clients/${client.id}`)).body.client).toEqual(client);
  });

  test('resendInvitation: mails a new link, and the previous link stops working', async () => {
    const client = await inviteClient(ours.api);
    const before = await ours.invitationLink(client.email);
    (await ours.api.post(`/clients/${client.id}/invitation`)).expect(200);
    const after = await ours.invitationLink(client.email, { not: before });
    expect((await fetch(before)).status).toBe(404);
    expect((await fetch(after)).status).toBe(200);
  });

  const activate = (link: string) => {
    const token = new URL(link).searchParams.get('token') ?? '';
    return fetch(new URL('/activate', link), { method: 'POST', body: new URLSearchParams({ token, password: 'correct horse battery' }) });
  };

  test('the form of an activation signs in from our own page, and from no other', async () => {
    const { email } = await inviteClient(ours.api);
    const link = await ours.invitationLink(email);
    const token = new URL(link).searchParams.get('token') ?? '';
    const submit = async (headers: Record<string, string>) => {
      const body = new URLSearchParams({ token, password: 'correct horse battery' });
      const { status, headers: sent } = await fetch(new URL('/activate', link), { method: 'POST', body, headers, redirect: 'manual' });
      return { status, location: sent.get('location'), cookies: sent.getSetCookie().map((cookie) => cookie.split('=', 1)[0]) };
    };
    expect(await submit({ origin: 'https://evil.example' })).toEqual({ status: 200, location: null, cookies: [] });
    const { status, location, cookies } = await submit({ origin: new URL(link).origin });
    expect([status, location]).toEqual([303, '/']);
    expect(cookies).toContain('webkiln_session');
  });

  test('resendInvitation: a client that was set active by PATCH still gets a link and sets its password', async () => {
    const client = await inviteClient(ours.api);
    const before = await ours.invitationLink(client.email);
    await ours.api.patch(`/clients/${client.id}`, { status: 'active' });
    (await ours.api.post(`/clients/${client.id}/invitation`)).expect(200);
    const link = await ours.invitationLink(client.email, { not: before });
    expect(await (await fetch(link)).text()).toContain('Choose a password');
    expect(await (await activate(link)).text()).toContain('Your account is active');
  });

  test(
    'resendInvitation: answers 403 once the organization has used up its mails of the day, and leaves the link as it is',
    async () => {
      await withinOneDay();
      const small = await agency();
      const client = await inviteClient(small.api);
      const link = await small.invitationLink(client.email);
      await setLimit(small.organization.id, 'mails', 1);
      const { body } = (await small.api.post(`/clients/${client.id}/invitation`)).expect(403, 'quota_exceeded');
      expect(body.error).toContain('your organization may have 1 mails a day and has 1');
      expect((await fetch(link)).status).toBe(200);
    },
    nextDayTimeoutMs,
  );

  test('resendInvitation: answers 409 for a client that has activated its account', async () => {
    const client = await inviteClient(ours.api);
    expect((await activate(await ours.invitationLink(client.email))).status).toBe(200);
    (await ours.api.post(`/clients/${client.id}/invitation`)).expect(409, 'invitation_not_pending');
  });
});

describe("clients' users", () => {
  const page = { 'index.html': '<h1>Hi</h1>' };

  interface Site {
    readonly id: string;
    readonly url: string;
    readonly submissionId: string;
  }

  let boss: Person;
  /** The API as the client's user calls it. */
  let api: Api;
  let own: Site;
  let foreign: Site;

  /** Makes a published project of a client, with this many views and one form submission. */
  async function visitedSite(client: Parameters<typeof makeProject>[1], views: number): Promise<Site> {
    const { id } = await makeProject(boss.api, client, { name: `Site ${randomUUID().slice(0, 8)}` });
    const { url } = (await boss.api.post(`/projects/${id}/publish`, { builtFiles: page })).expect(200).body;
    expect((await sendForm(platform.origins[0] ?? '', `${url}/_forms/contact`, { name: 'Ada' })).status).toBe(303);
    const [name = ''] = new URL(url).hostname.split('.');
    await publishViews(
      platform.urls.NATS_URL,
      Array.from({ length: views }, (_, view) => makeView(name, { visitor: `visitor-${view}-of-them`.slice(0, 16) })),
    );
    const { submissions } = (await boss.api.get(`/projects/${id}/forms/submissions`)).expect(200).body;
    return { id, url, submissionId: submissions[0].id };
  }

  beforeAll(async () => {
    boss = await owner();
    const [{ person, client }, neighbour] = [await clientUser(boss), await activeClient(boss.api)];
    api = person.api;
    [own, foreign] = [await visitedSite(client, 3), await visitedSite(neighbour, 2)];
  });

  test('getSession: returns the role client and the organization that the client belongs to', async () => {
    const { body } = (await api.get('/account/session')).expect(200);
    expect(body).toMatchObject({ role: 'client', organization: { name: `Studio ${boss.email}` } });
  });

  test('listProjects, getProject, updateProject, publishProject, deleteProject: a client manages only their own projects, and cannot delete them', async () => {
    expect((await api.get('/projects')).expect(200).body).toMatchObject({ total: 1, projects: [{ id: own.id }] });
    (await api.get(`/projects/${own.id}`)).expect(200);
    (await api.patch(`/projects/${own.id}`, { starred: true })).expect(200);
    (await api.post(`/projects/${own.id}/publish`, { builtFiles: page })).expect(200);
    (await api.get(`/projects/${own.id}/deploys`)).expect(403, 'agency_tools_off');
    (await api.get(`/projects/${own.id}/files`)).expect(200);
    (await api.delete(`/projects/${own.id}`)).expect(403, 'role_missing');
  });

  test('listForms, listSubmissions, updateFormSettings, updateSubmission, deleteSubmission: a client manages the forms of their own sites', async () => {
    const forms = `/projects/${own.id}/forms`;
    expect((await api.get(forms)).expect(200).body).toMatchObject({ total: 1, forms: [{ name: 'contact' }] });
    expect((await api.get(`${forms}/submissions`)).expect(200).body).toMatchObject({ submissions: [{ id: own.submissionId }] });
    const table = await api.raw(`${forms}/submissions`, { headers: { accept: 'text/csv' } });
    expect([table.status, await table.text()]).toEqual([200, expect.stringContaining(own.submissionId)]);
    (await api.patch(`${forms}/settings`, { notify: false })).expect(200);
    expect((await boss.api.get(`${forms}/settings`)).expect(200).body.settings.notify).toBe(false);
    (await api.patch(`${forms}/submissions/${own.submissionId}`, { spam: true })).expect(200);
    (await api.delete(`${forms}/submissions/${own.submissionId}`)).expect(200);
  });

  test('getAnalytics: a client reads the views of their own sites, one by one and in total', async () => {
    await eventually(async () => expect((await boss.api.get('/analytics')).expect(200).body.analytics.totalViews).toBe(5));
    for (const query of ['', `?project_id=${own.id}`]) {
      expect((await api.get(`/analytics${query}`)).expect(200).body.analytics.totalViews).toBe(3);
    }
  });

  test.each([
    ['getProject', 'GET', '', undefined],
    ['updateProject', 'PATCH', '', { name: 'Mine' }],
    ['listProjectFiles', 'GET', '/files', undefined],
    ['getProjectFile', 'GET', '/files/index.html', undefined],
    ['publishProject', 'POST', '/publish', { builtFiles: page }],
    ['getPreview', 'GET', '/preview', undefined],
    ['listRevisions', 'GET', '/revisions', undefined],
    ['listForms', 'GET', '/forms', undefined],
    ['getFormSettings', 'GET', '/forms/settings', undefined],
    ['updateFormSettings', 'PATCH', '/forms/settings', { notify: false }],
    ['listSubmissions', 'GET', '/forms/submissions', undefined],
  ])("%s: answers 404 to another client's project with the same bytes as to an unknown one", async (_operation, method, path, body) => {
    const answers = [foreign.id, randomUUID(), 'nonsense'].map(async (id) => {
      const sent = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json', 'x-request-id': 'same' } };
      const answer = await api.raw(`/projects/${id}${path}`, { method, headers: { 'x-request-id': 'same' }, ...sent });
      return [answer.status, await answer.text()];
    });
    const [first, ...others] = await Promise.all(answers);
    expect(first?.[0]).toBe(404);
    expect(others).toEqual([first, first]);
  });

  test("getAnalytics, updateSubmission, deleteSubmission: another client's project answers as unknown and stays as it is", async () => {
    const same = { 'x-request-id': 'same' };
    for (const ask of [
      (id: string) => api.get(`/analytics?project_id=${id === foreign.submissionId ? foreign.id : id}`, same),
      (id: string) => api.patch(`/projects/${foreign.id}/forms/submissions/${id}`, { spam: true }, same),
      (id: string) => api.delete(`/projects/${foreign.id}/forms/submissions/${id}`, same),
    ]) {
      const [theirs, nobodys] = [await ask(foreign.submissionId), await ask(randomUUID())];
      expect([theirs.status, theirs.body]).toEqual([404, nobodys.body]);
    }
    const { submissions } = (await boss.api.get(`/projects/${foreign.id}/forms/submissions`)).expect(200).body;
    expect(submissions).toMatchObject([{ id: foreign.submissionId, spam: false }]);
  });
});

describe('limits of a client', () => {
  let ours: Agency;
  beforeAll(async () => {
    ours = await agency();
  });

  const limitsOf = async (id: string, query = '') =>
    (await ours.api.get(`/clients/${id}/limits${query}`)).expect(200).body.limits as PlanUse[];

  test('getClientLimits: answers 200 with what the plan allows and what is used; 404 to an unknown client or plan', async () => {
    const plan = await makePlan(ours.api, { max_sites: 2, can_export_code: true });
    const client = await activeClient(ours.api, { plan_id: plan.id });
    await makeProject(ours.api, client);
    const limits = await limitsOf(client.id);
    expect(limits.map((limit) => PlanUse.safeParse(limit).success)).toEqual([true, true, true, true]);
    expect(limits.map(({ limit, allowed, used, is_exceeded }) => [limit, allowed, used, is_exceeded])).toEqual([
      ['max_sites', 2, 1, false],
      ['max_ai_messages_daily', 50, null, false],
      ['can_export_code', null, null, false],
      ['can_use_custom_domain', 0, 0, false],
    ]);
    (await ours.api.get(`/clients/${randomUUID()}/limits`)).expect(404, 'client_not_found');
    (await ours.api.get(`/clients/${client.id}/limits?plan_id=${randomUUID()}`)).expect(404, 'plan_not_found');
  });

  test('updateClient: a plan below what is used deletes nothing, is told before, and lets nothing in until it fits', async () => {
    const [large, small] = [
      await makePlan(ours.api, { max_sites: 5, price: 0 }),
      await makePlan(ours.api, { name: 'Small', max_sites: 1, price: 0 }),
    ];
    const client = await activeClient(ours.api, { plan_id: large.id });
    const sites = [await makeProject(ours.api, client), await makeProject(ours.api, client)];
    const exceeded = { limit: 'max_sites', allowed: 1, used: 2, is_exceeded: true };
    const message =
      'With the plan Small, 1 site is allowed, and the client has 2: nothing is deleted, and no more can be added until it fits.';
    expect((await limitsOf(client.id, `?plan_id=${small.id}`))[0]).toEqual({ ...exceeded, message });
    (await ours.api.patch(`/clients/${client.id}`, { plan_id: small.id })).expect(200);
    expect((await limitsOf(client.id))[0]).toMatchObject(exceeded);
    const create = () => ours.api.post('/projects', { client_email: client.email, name: 'Third' });
    const refused = (await create()).expect(400, 'plan_limit_reached').body;
    expect(refused.details).toMatchObject([{ plan_limit: { allowed: 1, used: 2, plan: { id: expect.any(String) } } }]);
    for (const { id } of sites) (await ours.api.get(`/projects/${id}`)).expect(200);
    for (const { id } of sites) (await ours.api.delete(`/projects/${id}`)).expect(200);
    await ours.eventually(async () => (await create()).expect(201));
  });
});

describe('plans', () => {
  let ours: Agency;
  beforeAll(async () => {
    ours = await agency();
  });

  test('createPlan: answers 201 with exactly the contract fields and their defaults', async () => {
    const { body } = (await ours.api.post('/plans', { name: 'Care', price: 0 })).expect(201);
    expect(Object.keys(body)).toEqual(['plan']);
    expect(Object.keys(body.plan).sort()).toEqual(Object.keys(Plan.shape).sort());
    expect(body.plan).toMatchObject({
      name: 'Care',
      description: null,
      price: 0,
      interval: 'monthly',
      max_sites: 3,
      max_ai_messages_daily: 50,
      can_export_code: false,
      can_use_custom_domain: false,
      is_active: true,
    });
  });

  test('createPlan: stores every field in the body', async () => {
    const fields = {
      name: 'Pro',
      price: 49.5,
      description: 'All',
      interval: 'yearly',
      max_sites: 20,
      max_ai_messages_daily: 500,
      can_export_code: true,
      can_use_custom_domain: true,
    };
    expect((await ours.api.post('/plans', fields)).expect(201).body.plan).toMatchObject(fields);
  });

  test.each([
    ['no name', { price: 1 }, 'name: is required.'],
    ['no price', { name: 'A' }, 'price: is required.'],
    ['a negative price', { name: 'A', price: -0.01 }, 'price: must be at least 0.'],
    ['an unknown interval', { name: 'A', price: 1, interval: 'weekly' }, 'interval: must be one of monthly, yearly.'],
  ])('createPlan: answers 400 to %s and says so', async (_case, body, error) => {
    expect((await ours.api.post('/plans', body)).expect(400, 'validation_failed').body.error).toBe(error);
  });

  test('getPlan: answers 200 with the plan', async () => {
    const plan = await makePlan(ours.api);
    expect((await ours.api.get(`/plans/${plan.id}`)).expect(200).body).toEqual({ plan });
  });

  test('updatePlan: changes only the fields in the body', async () => {
    const plan = await makePlan(ours.api);
    const change = { price: 31, is_active: false, max_sites: 7, description: 'More' };
    expect((await ours.api.patch(`/plans/${plan.id}`, change)).expect(200).body.plan).toEqual({ ...plan, ...change });
  });

  test('listPlans: sorts by sort_order, then newest first', async () => {
    const { api } = await agency();
    const first = await makePlan(api);
    const second = await makePlan(api);
    const third = await makePlan(api);
    (await api.patch(`/plans/${third.id}`, { sort_order: 5 })).expect(200);
    const { body } = (await api.get('/plans')).expect(200);
    expect(body.plans.map(({ id }: Plan) => id)).toEqual([second.id, first.id, third.id]);
    expect(body.total).toBe(3);
  });

  test('updatePlan: accepts is_default and does not return it', async () => {
    const plan = await makePlan(ours.api);
    expect((await ours.api.patch(`/plans/${plan.id}`, { is_default: true })).expect(200).body.plan).toEqual(plan);
  });

  test('updatePlan: a new price does not change the clients of the plan', async () => {
    const plan = await makePlan(ours.api);
    const client = (await ours.api.post('/clients', { email: `p-${plan.id}@example.test`, plan_id: plan.id })).expect(201).body.client;
    (await ours.api.patch(`/plans/${plan.id}`, { price: 99 })).expect(200);
    expect((await ours.api.get(`/clients/${client.id}`)).body.client).toEqual(client);
  });
});
