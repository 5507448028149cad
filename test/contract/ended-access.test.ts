import { call } from '@webkiln/rpc';
import { agency, eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { Authenticator } from '../harness/authenticator.ts';
import { mailedLink, mailsTo } from '../harness/mails.ts';
import {
  addMember,
  deleteAccount,
  deleteOrganization,
  lockAccount,
  operatorOf,
  resume,
  setLimit,
  suspend,
  unlockAccount,
} from '../harness/operator.ts';
import { confirmLink, owner, Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { activateClientUser, activationLink, clientUser, findMember, invitationToken, newMember } from '../harness/team.ts';
import { totp } from '../harness/totp.ts';

const platform = sharedPlatform();

describe('a locked account', () => {
  const resetLink = /http\S+\/reset-password\?token=[^\s"]+/;
  const sentence = 'This account is locked. Ask the operator of this platform.';

  // The test calls as an operator with the keys of an agency's platform.
  beforeAll(agency);

  async function resetToken(person: Person): Promise<string> {
    (await person.auth('/request-password-reset', { email: person.email })).expect(200);
    return new URL(await mailedLink(platform, person.email, resetLink)).searchParams.get('token') ?? '';
  }

  async function signInWith(device: Authenticator, person: Person) {
    const { options } = (await person.auth('/passkey/sign-in-options', {})).expect(200).body;
    return person.auth('/passkey/sign-in', { response: device.get(options, { origin: platform.origins[0] ?? '' }) });
  }

  /** A person with a passkey, signed in. */
  async function withPasskey() {
    const [ada, device] = [await owner(), new Authenticator()];
    const { options } = (await ada.auth('/passkey/register-options', {})).expect(200).body;
    const response = device.create(options, { origin: platform.origins[0] ?? '' });
    (await ada.auth('/passkey/register', { name: 'Laptop', response })).expect(200);
    return { ada, device };
  }

  test('a lock ends every session at the gateway; password, reset link and passkey are refused until it is unlocked; both are audited', async () => {
    const { ada, device } = await withPasskey();
    const phone = new Person({ email: ada.email });
    (await phone.signIn(ada.password)).expect(200);
    for (const { api } of [ada, phone]) (await api.get('/projects')).expect(200);
    await lockAccount(ada.email);
    for (const { api } of [ada, phone]) await eventually(async () => (await api.get('/projects')).expect(401, 'invalid_session'));

    const home = new Person({ email: ada.email });
    const token = await resetToken(home);
    for (const refused of [
      await home.signIn(ada.password),
      await signInWith(device, home),
      await home.auth('/reset-password', { token, newPassword: 'the new password' }),
    ]) {
      expect(refused.expect(403, 'account_locked').body.error).toBe(sentence);
      expect(refused.headers.getSetCookie().filter((cookie) => cookie.startsWith('webkiln_session='))).toEqual([]);
    }
    (await home.api.get('/projects')).expect(401);

    await unlockAccount(ada.email);
    (await home.signIn(ada.password)).expect(200);
    (await home.api.get('/projects')).expect(200);
    (await signInWith(device, phone)).expect(200);
    (await phone.api.get('/projects')).expect(200);
    await eventually(async () => {
      const { entries } = (await home.api.get('/account/audit')).expect(200).body;
      const expected = ['account.locked', 'account.unlocked'].map((action) =>
        expect.objectContaining({ action, actor: expect.objectContaining({ kind: 'operator' }) }),
      );
      expect(entries).toEqual(expect.arrayContaining(expected));
    });
  });

  test('a reset link and a sign-in that waits for its second factor do not outlive the lock', async () => {
    const ada = await owner();
    const { totpURI, backupCodes } = (await ada.auth('/two-factor/enable', { password: ada.password })).expect(200).body;
    (await ada.auth('/two-factor/verify-totp', { code: totp(totpURI) })).expect(200);
    const waiting = new Person({ email: ada.email });
    (await waiting.signIn(ada.password)).expect(200);
    const token = await resetToken(waiting);
    await lockAccount(ada.email);
    (await waiting.auth('/two-factor/verify-totp', { code: totp(totpURI, 1) })).expect(401);
    (await waiting.auth('/two-factor/verify-backup-code', { code: backupCodes[0] })).expect(401);
    (await waiting.auth('/reset-password', { token, newPassword: 'the new password' })).expect(400, 'invalid_token');
    expect((await waiting.signIn(ada.password)).expect(403, 'account_locked').body.error).toBe(sentence);
    await unlockAccount(ada.email);
    expect((await waiting.signIn(ada.password)).expect(200).body).toMatchObject({ twoFactorRedirect: true });
  });

  test('the link that confirms an address does not sign in to a locked account, and works again once it is unlocked', async () => {
    const ada = new Person();
    (await ada.signUp()).expect(200);
    const link = await mailedLink(platform, ada.email, confirmLink);
    await lockAccount(ada.email);
    (await ada.followConfirmLink(link)).expect(403, 'account_locked');
    (await ada.api.get('/projects')).expect(401);
    await unlockAccount(ada.email);
    (await ada.followConfirmLink(link)).expect(200);
    (await ada.api.get('/projects')).expect(200);
  });

  test('a stranger gets the same answers for a locked account as for an address without an account', async () => {
    const ada = await owner();
    await lockAccount(ada.email);
    const answersFor = async (email: string) => {
      const stranger = new Person({ email });
      const answers = [
        await stranger.signIn('wrong password'),
        await stranger.auth('/request-password-reset', { email }),
        await stranger.auth('/send-verification-email', { email }),
      ];
      return answers.map(({ status, body: { request_id: _own, ...content } }) => ({ status, content }));
    };
    expect(await answersFor(ada.email)).toEqual(await answersFor(new Person().email));
    expect(mailsTo(platform, ada.email).join('\n')).not.toContain('locked');
  });
});

describe('paused access', () => {
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
      expect(refused.headers.getSetCookie().filter((cookie) => cookie.startsWith('webkiln_session='))).toEqual([]);
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
});

describe('a suspended organization', () => {
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
});

describe('a deleted account', () => {
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
});
