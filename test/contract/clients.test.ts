import { Client } from '@webkiln/contract';
import { type Agency, agency } from '../harness/agency.ts';
import { setLimit } from '../harness/operator.ts';
import { inviteClient, makePlan, someEmail } from './fixtures.ts';

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
  expect(body.client).toMatchObject({ email, name: 'Ada', company: 'Loaf & Co', status: 'invited', plan_id: null, payment_status: 'none' });
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

test('resendInvitation: a client that was set active by PATCH still gets a link and sets its password', async () => {
  const client = await inviteClient(ours.api);
  const before = await ours.invitationLink(client.email);
  await ours.api.patch(`/clients/${client.id}`, { status: 'active' });
  (await ours.api.post(`/clients/${client.id}/invitation`)).expect(200);
  const link = await ours.invitationLink(client.email, { not: before });
  expect(await (await fetch(link)).text()).toContain('Choose a password');
  expect(await (await activate(link)).text()).toContain('Your account is active');
});

test('resendInvitation: answers 403 once the organization has used up its mails of the day, and leaves the link as it is', async () => {
  const small = await agency();
  const client = await inviteClient(small.api);
  const link = await small.invitationLink(client.email);
  await setLimit(small.organization.id, 'mails', 1);
  const { body } = (await small.api.post(`/clients/${client.id}/invitation`)).expect(403, 'quota_exceeded');
  expect(body.error).toContain('your organization may have 1 mails a day and has 1');
  expect((await fetch(link)).status).toBe(200);
});

test('resendInvitation: answers 409 for a client that has activated its account', async () => {
  const client = await inviteClient(ours.api);
  expect((await activate(await ours.invitationLink(client.email))).status).toBe(200);
  (await ours.api.post(`/clients/${client.id}/invitation`)).expect(409, 'invitation_not_pending');
});
