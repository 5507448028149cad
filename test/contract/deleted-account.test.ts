import { call } from '@webkiln/rpc';
import { agency, eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { mailedLink } from '../harness/mails.ts';
import { addMember, deleteAccount, deleteOrganization, operatorOf, unlockAccount } from '../harness/operator.ts';
import { owner, Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { activateClientUser, activationLink, clientUser, findMember, newMember } from '../harness/team.ts';

const platform = sharedPlatform();

// The test calls as an operator with the keys of an agency's platform.
beforeAll(agency);

const organizationOf = async ({ api }: Person) => (await api.get('/account/session')).expect(200).body.organization;

test('the last owner of an organization is not deleted until it has another owner or is to be erased; the refusal names it', async () => {
  const [ada, grace] = [await owner(), new Person()];
  const { id, name } = await organizationOf(ada);
  await expect(deleteAccount(ada.email)).rejects.toMatchObject({
    code: 'last_owner',
    details: [
      { path: 'email', message: expect.stringMatching(`is the last owner of ${name} \\(.*make somebody else an owner.*org delete`) },
    ],
  });
  (await ada.api.get('/account/organization')).expect(200);
  await call('identity.AddMember', { email: grace.email, role: 'owner' }, operatorOf(id));
  expect(await deleteAccount(ada.email)).toMatchObject({ done: true });
  await expect(deleteAccount(grace.email)).rejects.toMatchObject({ code: 'last_owner' });
  await deleteOrganization(id);
  expect(await deleteAccount(grace.email)).toMatchObject({ done: true });
});

test('of two owners who are deleted at once one stays', async () => {
  const ada = await owner();
  const grace = await newMember(ada, 'owner');
  const outcomes = await Promise.allSettled([ada, grace].map(({ email }) => deleteAccount(email)));
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const kept = [ada, grace][outcomes.findIndex(({ status }) => status === 'rejected')];
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'last_owner' } });
  // The deletion that lost has begun: its person can no longer sign in, but is still the owner.
  await expect(deleteAccount(kept?.email ?? '')).rejects.toMatchObject({ code: 'last_owner' });
});

test("a person's API keys go on working, as those of a removed member, or are revoked where the operator says so", async () => {
  const boss = await owner();
  for (const [revoke, status] of [
    [false, 200],
    [true, 401],
  ] as const) {
    const developer = await newMember(boss, 'developer');
    const { key, secret } = (await developer.api.post('/account/keys', { name: 'CI', permissions: ['read'] })).expect(201).body;
    const { keys } = await deleteAccount(developer.email, revoke);
    expect(keys).toEqual([{ org_id: (await organizationOf(boss)).id, id: key.id, prefix: key.prefix, name: 'CI' }]);
    await eventually(async () => (await new Api(`${platform.origins[0]}/api/v1`, secret).get('/projects')).expect(status));
  }
});

test('an agency keeps the record of a deleted person who was its client, and can invite the person again', async () => {
  const boss = await owner();
  const { person, client } = await clientUser(boss);
  const known = await mailedLink(platform, person.email, activationLink);
  await deleteAccount(person.email);
  await eventually(async () => (await person.api.get('/projects')).expect(401));
  expect((await boss.api.get(`/clients/${client.id}`)).expect(200).body.client).toMatchObject({ email: person.email });
  (await boss.api.post(`/clients/${client.id}/invitation`)).expect(200);
  await mailedLink(platform, person.email, activationLink, known);
  const again = new Person({ email: person.email });
  await activateClientUser(again);
  (await again.api.get('/projects')).expect(200);
});

test('a deletion needs the email once more, is for operators alone, and unlocking brings nothing back', async () => {
  const [boss, ada] = [await owner(), new Person()];
  const { id } = await organizationOf(boss);
  await addMember(id, ada.email);
  const request = { email: ada.email, confirm: boss.email, revoke_keys: false };
  await expect(call('identity.DeleteAccount', request, operatorOf(''))).rejects.toMatchObject({
    code: 'validation_failed',
    details: [{ path: 'confirm', message: "must be the account's email, once more" }],
  });
  expect((await findMember(ada, boss)).role).toBe('viewer');
  await deleteAccount(ada.email.toUpperCase());
  expect(await findMember(ada, boss)).toBeUndefined();
  for (const act of [deleteAccount, unlockAccount])
    await expect(act(ada.email)).rejects.toMatchObject({ message: 'email: belongs to no account.' });
});
