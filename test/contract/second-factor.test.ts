import { owner, Person } from '../harness/person.ts';
import { clientUser } from '../harness/team.ts';
import { totp } from '../harness/totp.ts';

/** Signs up a person with a second factor; returns the otpauth:// URL of the authenticator app and the backup codes. */
async function withSecondFactor() {
  const ada = await owner();
  const { body } = (await ada.auth('/two-factor/enable', { password: ada.password })).expect(200);
  (await ada.auth('/two-factor/verify-totp', { code: totp(body.totpURI) })).expect(200);
  return { ada, app: body.totpURI as string, backupCodes: body.backupCodes as string[] };
}

/** Returns another browser of the person, after the password and before the second factor. */
async function afterPassword(ada: Person): Promise<Person> {
  const home = new Person({ email: ada.email });
  expect((await home.signIn(ada.password)).expect(200).body).toMatchObject({ twoFactorRedirect: true });
  return home;
}

test('the password alone does not sign in to an account with a second factor', async () => {
  const { ada } = await withSecondFactor();
  const home = await afterPassword(ada);
  (await home.api.get('/projects')).expect(401);
  (await home.auth('/two-factor/verify-totp', { code: '000000' })).expect(401, 'invalid_code');
});

test('a code of the authenticator app signs in once', async () => {
  const { ada, app } = await withSecondFactor();
  const home = await afterPassword(ada);
  const onlooker = await afterPassword(ada);
  const code = totp(app, 1);
  (await home.auth('/two-factor/verify-totp', { code })).expect(200);
  (await home.api.get('/projects')).expect(200);
  (await onlooker.auth('/two-factor/verify-totp', { code })).expect(401, 'invalid_code');
  (await onlooker.api.get('/projects')).expect(401);
});

test('a backup code signs in once', async () => {
  const { ada, backupCodes } = await withSecondFactor();
  const code = backupCodes[0];
  (await (await afterPassword(ada)).auth('/two-factor/verify-backup-code', { code })).expect(200);
  (await (await afterPassword(ada)).auth('/two-factor/verify-backup-code', { code })).expect(401);
});

test('ten wrong codes from ten networks and the account takes no code from an eleventh; a device that signed in before is not concerned', async () => {
  const { ada, app } = await withSecondFactor();
  for (let network = 0; network < 10; network++) {
    const stranger = await afterPassword(ada);
    (await stranger.auth('/two-factor/verify-totp', { code: '000000' })).expect(401, 'invalid_code');
  }
  const code = totp(app, 1);
  const refused = (await (await afterPassword(ada)).auth('/two-factor/verify-totp', { code })).expect(429, 'rate_limited');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  (await ada.signIn()).expect(200);
  (await ada.auth('/two-factor/verify-totp', { code })).expect(200);
  (await ada.api.get('/projects')).expect(200);
});

test('turning off the second factor needs the password', async () => {
  const { ada } = await withSecondFactor();
  (await ada.auth('/two-factor/disable', { password: 'wrong' })).expect(400, 'invalid_password');
  (await ada.auth('/two-factor/disable', { password: ada.password })).expect(200);
  const home = new Person({ email: ada.email });
  (await home.signIn(ada.password)).expect(200);
  (await home.api.get('/projects')).expect(200);
});

test("a client's authenticator app names the agency, a member's names the platform; a disabled app can be enrolled again", async () => {
  const boss = await owner();
  (await boss.api.patch('/account/organization', { name: 'Harbour: Studio' })).expect(200);
  const { person } = await clientUser(boss);
  const issuerFor = async (whom: Person) => {
    const { totpURI } = (await whom.auth('/two-factor/enable', { password: whom.password })).expect(200).body;
    return { totpURI, issuer: new URL(totpURI).searchParams.get('issuer') };
  };
  expect((await issuerFor(boss)).issuer).toBe('Webkiln');
  const { totpURI, issuer } = await issuerFor(person);
  expect(issuer).toBe('Harbour Studio');
  (await person.auth('/two-factor/verify-totp', { code: totp(totpURI) })).expect(200);
  (await person.auth('/two-factor/disable', { password: person.password })).expect(200);
  const again = await issuerFor(person);
  (await person.auth('/two-factor/verify-totp', { code: totp(again.totpURI) })).expect(200);
});
