import { agency, eventually } from '../harness/agency.ts';
import { resume, setLimit, suspend } from '../harness/operator.ts';
import { owner, Person } from '../harness/person.ts';

test('every operation of a suspended organization is refused with 403 organization_suspended, and works again when it is resumed', async () => {
  const ours = await agency();
  const { id } = (await ours.api.post('/clients', { email: 'ada@example.com' })).expect(201).body.client;
  await suspend(ours.organization.id);
  const refused = await eventually(async () => (await ours.api.get(`/clients/${id}`)).expect(403, 'organization_suspended'));
  expect(refused.body.error).toContain('ask the operator of this platform');
  (await ours.api.post('/plans', { name: 'Basic' })).expect(403, 'organization_suspended');
  await resume(ours.organization.id);
  await eventually(async () => (await ours.api.get(`/clients/${id}`)).expect(200));
});

test('a person of a suspended organization can still see who is signed in', async () => {
  const boss = await owner();
  const { organization } = (await boss.api.get('/account/session')).expect(200).body;
  await agency();
  await suspend(organization.id);
  await eventually(async () => (await boss.api.get('/account/organization')).expect(403, 'organization_suspended'));
  expect((await boss.api.get('/account/session')).expect(200).body.organization.id).toBe(organization.id);
});

test('an invitation of a client to a suspended organization is neither sent nor accepted; resumed, its link works', async () => {
  const ours = await agency();
  const ada = new Person();
  const { id } = (await ours.api.post('/clients', { email: ada.email })).expect(201).body.client;
  const link = new URL(await ours.invitationLink(ada.email));
  const body = new URLSearchParams({ token: link.searchParams.get('token') ?? '', password: ada.password });
  const activate = async () => {
    const response = await fetch(new URL('/activate', link), { method: 'POST', body });
    return { status: response.status, text: await response.text() };
  };
  await suspend(ours.organization.id);
  expect(await activate()).toMatchObject({ status: 403, text: expect.stringContaining('works again once it is resumed') });
  (await ada.signIn()).expect(401);
  await eventually(async () => (await ours.api.post('/clients', { email: 'bob@example.com' })).expect(403, 'organization_suspended'));
  (await ours.api.post(`/clients/${id}/invitation`)).expect(403, 'organization_suspended');
  await resume(ours.organization.id);
  expect((await activate()).status).toBe(200);
  (await ada.signIn()).expect(200);
});

test('a limit that an operator sets is refused with its name, its value and what is used, until it is lifted', async () => {
  const ours = await agency();
  const add = async () => ours.api.post('/webhooks', { url: 'https://hooks.example.com/in', events: ['client.created'] });
  (await add()).expect(201);
  await setLimit(ours.organization.id, 'webhooks', 1);
  const refused = await eventually(async () => (await add()).expect(403, 'quota_exceeded'));
  expect(refused.body).toMatchObject({
    error: expect.stringMatching(/^webhooks: your organization may have 1 webhooks and has \d+;.*ask the operator/),
    details: [{ path: 'webhooks' }],
  });
  await setLimit(ours.organization.id, 'webhooks');
  await eventually(async () => (await add()).expect(201));
});
