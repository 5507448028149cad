import { agency, eventually } from '../harness/agency.ts';
import { Authenticator } from '../harness/authenticator.ts';
import { mailedLink, mailsTo } from '../harness/mails.ts';
import { lockAccount, unlockAccount } from '../harness/operator.ts';
import { owner, Person, verifyLink } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { totp } from '../harness/totp.ts';

const platform = sharedPlatform();
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
    expect(refused.headers.getSetCookie().filter((cookie) => cookie.startsWith('__Host-webkiln_session='))).toEqual([]);
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

test('the link that verifies an address does not sign in to a locked account', async () => {
  const ada = new Person();
  (await ada.signUp()).expect(200);
  const link = await mailedLink(platform, ada.email, verifyLink);
  await lockAccount(ada.email);
  (await ada.auth(link)).expect(302);
  (await ada.api.get('/projects')).expect(401);
  (await ada.signIn()).expect(403, 'account_locked');
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
