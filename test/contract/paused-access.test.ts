import { eventually } from '../harness/agency.ts';
import { owner, Person } from '../harness/person.ts';
import { clientUser, invitationToken } from '../harness/team.ts';

const setStatus = async (boss: Person, id: string, status: string) => (await boss.api.patch(`/clients/${id}`, { status })).expect(200);

test.each(['suspended', 'churned'])(
  'updateClient: a client with the status %s loses every session and cannot sign in until active again',
  async (status) => {
    const boss = await owner();
    const { person, client } = await clientUser(boss);
    const phone = new Person({ email: person.email });
    (await phone.signIn(person.password)).expect(200);
    await setStatus(boss, client.id, status);
    for (const { api } of [person, phone]) await eventually(async () => (await api.get('/projects')).expect(401, 'invalid_session'));
    const refused = (await person.signIn()).expect(403, 'access_paused');
    expect(refused.body.error).toBe(`Your access is paused. Ask Studio ${boss.email}.`);
    expect(refused.headers.getSetCookie().filter((cookie) => cookie.startsWith('__Host-webkiln_session='))).toEqual([]);
    (await person.signIn('not the password')).expect(401);
    await setStatus(boss, client.id, 'active');
    // Polling with sign-ins would run into the limit of login attempts.
    await eventually(async () => (await phone.api.get('/projects')).expect(200));
    (await person.signIn()).expect(200);
    (await person.api.get('/projects')).expect(200);
  },
);

test('switchOrganization: a suspended client keeps access to other organizations, but not to the one that suspended them', async () => {
  const [boss, other] = await Promise.all([owner(), owner()]);
  const { person, client } = await clientUser(boss);
  const { organization: paused } = (await person.api.get('/account/session')).expect(200).body;
  const { organization: open } = (await other.api.get('/account/session')).expect(200).body;
  (await other.api.post('/account/invitations', { email: person.email, role: 'viewer' })).expect(201);
  (await person.api.post('/account/invitations/accept', { token: await invitationToken(person.email) })).expect(200);
  (await person.api.post('/account/session/organization', { organization_id: paused.id })).expect(200);
  await setStatus(boss, client.id, 'suspended');
  await eventually(async () => (await person.api.get('/projects')).expect(401, 'invalid_session'));
  (await person.signIn()).expect(200);
  const { body } = (await person.api.get('/account/session')).expect(200);
  expect(body).toMatchObject({ organization: { id: open.id }, role: 'viewer' });
  expect(body.organizations).toEqual([expect.objectContaining({ id: open.id })]);
  (await person.api.post('/account/session/organization', { organization_id: paused.id })).expect(404, 'organization_not_found');
});
