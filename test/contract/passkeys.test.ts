import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { eventually } from '../harness/agency.ts';
import { Authenticator, type CeremonyOptions } from '../harness/authenticator.ts';
import { mailedLink, mailsTo } from '../harness/mails.ts';
import { owner, Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser } from '../harness/team.ts';
import { totp } from '../harness/totp.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

describe('passkeys', () => {
  const cookie = 'webkiln_passkey';

  /** Registers a new passkey of the device for the signed-in account. */
  async function offer(person: Person, device: Authenticator, ceremony: Partial<CeremonyOptions> = {}, name = 'Laptop') {
    const { options } = (await person.auth('/passkey/register-options', {})).expect(200).body;
    return person.auth('/passkey/register', { name, response: device.create(options, { origin, ...ceremony }) });
  }

  /** Signs up a person and registers a passkey. */
  async function withPasskey(counter = 0) {
    const ada = await owner();
    const device = new Authenticator();
    const { passkey } = (await offer(ada, device, { counter })).expect(200).body;
    return { ada, device, passkey };
  }

  async function signIn(person: Person, device: Authenticator, ceremony: Partial<CeremonyOptions> = {}) {
    const { options } = (await person.auth('/passkey/sign-in-options', {})).expect(200).body;
    return person.auth('/passkey/sign-in', { response: device.get(options, { origin, ...ceremony }) });
  }

  /** Moves the start of an account's sessions one hour into the past, so that they need the password again. */
  async function backdateSessions(email: string): Promise<void> {
    const client = await MongoClient.connect(platform.urls.MONGODB_URL);
    try {
      const database = client.db('webkiln_identity');
      const account = await database.collection('accounts').findOne({ email });
      const began = { created_at: new Date(Date.now() - 3_600_000) };
      const { matchedCount } = await database.collection('sessions').updateMany({ account_id: String(account?._id) }, { $set: began });
      expect(matchedCount).toBeGreaterThan(0);
    } finally {
      await client.close();
    }
  }

  test('listPasskeys: a passkey signs in to the same organization as the password, and is listed with its last use', async () => {
    const { ada, device, passkey } = await withPasskey();
    expect(passkey).toMatchObject({ name: 'Laptop', backed_up: false });
    const home = new Person();
    (await signIn(home, device)).expect(200);
    const [here, there] = [(await ada.api.get('/account/session')).body, (await home.api.get('/account/session')).expect(200).body];
    expect(there).toEqual(here);
    const { passkeys, total } = (await home.api.get('/account/passkeys')).expect(200).body;
    expect([total, passkeys]).toEqual([1, [expect.objectContaining({ id: passkey.id, last_used_at: expect.any(String) })]]);
  });

  test('a passkey sign-in needs no second factor', async () => {
    const { ada, device } = await withPasskey();
    const { totpURI } = (await ada.auth('/two-factor/enable', { password: ada.password })).expect(200).body;
    (await ada.auth('/two-factor/verify-totp', { code: totp(totpURI) })).expect(200);
    const home = new Person();
    (await signIn(home, device)).expect(200);
    (await home.api.get('/projects')).expect(200);
  });

  test.each<[string, Partial<CeremonyOptions>]>([
    ['on a page of another origin', { origin: 'https://evil.example' }],
    ['on another port of the same host', { origin: 'http://localhost:1' }],
    ['without user verification', { isUserVerified: false }],
    ['for another account than its own', { userHandle: Buffer.from(randomUUID()).toString('base64url') }],
    ['with a repeated signature counter', { counter: 5 }],
  ])('a passkey used %s does not sign in', async (_how, ceremony) => {
    const { device } = await withPasskey(5);
    const home = new Person();
    (await signIn(home, device, { counter: 6, ...ceremony })).expect(401, 'passkey_refused');
    (await home.api.get('/projects')).expect(401);
    (await signIn(home, device, { counter: 6 })).expect(200);
  });

  test('a challenge response signs in once, and only in the browser that received the challenge', async () => {
    const { device } = await withPasskey();
    const home = new Person();
    const { options } = (await home.auth('/passkey/sign-in-options', {})).expect(200).body;
    const kept = home.cookies.get(cookie) ?? '';
    const response = device.get(options, { origin });
    const thief = new Person();
    (await thief.auth('/passkey/sign-in', { response })).expect(401, 'challenge_expired');
    (await thief.auth('/passkey/sign-in-options', {})).expect(200);
    (await thief.auth('/passkey/sign-in', { response })).expect(401, 'challenge_expired');
    (await home.auth('/passkey/sign-in', { response })).expect(200);
    const again = new Person();
    again.cookies.set(cookie, kept);
    (await again.auth('/passkey/sign-in', { response })).expect(401, 'challenge_expired');
  });

  test('two tabs of one browser can each sign in with a passkey', async () => {
    const { device } = await withPasskey();
    const home = new Person();
    const tabs = [];
    for (let opened = 0; opened < 2; opened++) tabs.push((await home.auth('/passkey/sign-in-options', {})).expect(200).body.options);
    for (const options of tabs) (await home.auth('/passkey/sign-in', { response: device.get(options, { origin }) })).expect(200);
  });

  test('a forged challenge answers 401', async () => {
    const { device } = await withPasskey();
    const home = new Person();
    const { options } = (await home.auth('/passkey/sign-in-options', {})).expect(200).body;
    const [, random, seal] = Buffer.from(options.challenge, 'base64url').toString().split('.');
    for (const made of [`${Date.now() + 3_600_000}.${random}.${seal}`, 'made up', '']) {
      const challenge = Buffer.from(made).toString('base64url');
      const response = device.get({ ...options, challenge }, { origin });
      (await home.auth('/passkey/sign-in', { response })).expect(401, 'challenge_expired');
    }
  });

  test('a passkey is not added with a sign-in challenge, a changed challenge or the challenge of another account', async () => {
    const [ada, eve] = await Promise.all([owner(), owner()]);
    const { options } = (await eve.auth('/passkey/register-options', {})).expect(200).body;
    const response = new Authenticator().create(options, { origin });
    for (const planted of [eve.cookies.get(cookie) ?? '', 'made-up', undefined]) {
      if (planted === undefined) (await ada.auth('/passkey/sign-in-options', {})).expect(200);
      else ada.cookies.set(cookie, planted);
      (await ada.auth('/passkey/register', { name: 'Mine', response })).expect(401, 'challenge_expired');
    }
    expect((await ada.api.get('/account/passkeys')).expect(200).body.total).toBe(0);
  });

  test.each<[string, Partial<CeremonyOptions>]>([
    ['created on a page of another origin', { origin: 'https://evil.example' }],
    ['created without user verification', { isUserVerified: false }],
  ])('a passkey %s is not added', async (_what, ceremony) => {
    const ada = await owner();
    (await offer(ada, new Authenticator(), ceremony)).expect(400, 'passkey_refused');
    expect((await ada.api.get('/account/passkeys')).expect(200).body.total).toBe(0);
  });

  test('a passkey belongs to one account, and registering it again answers 400', async () => {
    const { device } = await withPasskey();
    (await offer(await owner(), device)).expect(400, 'passkey_refused');
  });

  test('a removed passkey does not sign in; adding and removing are mailed to its owner and audited', async () => {
    const { ada, device, passkey } = await withPasskey();
    (await ada.auth('/passkey/remove', { id: passkey.id })).expect(200);
    (await signIn(new Person(), device)).expect(401, 'passkey_refused');
    expect((await ada.api.get('/account/passkeys')).expect(200).body.total).toBe(0);
    (await ada.auth('/passkey/remove', { id: passkey.id })).expect(404, 'passkey_not_found');
    await mailedLink(platform, ada.email, /http\S+\/account\b/);
    await eventually(() => {
      const mails = mailsTo(platform, ada.email).join('\n');
      expect(mails).toContain('A passkey was added to your account: Laptop.');
      expect(mails).toContain('A passkey was removed from your account: Laptop.');
    });
    await eventually(async () => {
      const { entries } = (await ada.api.get('/account/audit')).expect(200).body;
      const target = { kind: 'passkey', id: passkey.id, name: 'Laptop' };
      const expected = ['passkey.added', 'passkey.removed'].map((action) => expect.objectContaining({ action, target }));
      expect(entries).toEqual(expect.arrayContaining(expected));
    });
  });

  test('renamePasskey, listPasskeys: a passkey of another account answers 404 and is not listed', async () => {
    const { device, passkey } = await withPasskey();
    const eve = await owner();
    (await eve.auth('/passkey/remove', { id: passkey.id })).expect(404, 'passkey_not_found');
    (await eve.api.patch(`/account/passkeys/${passkey.id}`, { name: 'Mine' })).expect(404, 'passkey_not_found');
    expect((await eve.api.get('/account/passkeys')).expect(200).body).toEqual({ passkeys: [], total: 0 });
    (await signIn(new Person(), device)).expect(200);
  });

  test('renamePasskey: renames a passkey of the account, and answers 400 to an empty name', async () => {
    const { ada, passkey } = await withPasskey();
    const { body } = (await ada.api.patch(`/account/passkeys/${passkey.id}`, { name: 'Phone' })).expect(200);
    expect(body.passkey).toEqual({ ...passkey, name: 'Phone' });
    (await ada.api.patch(`/account/passkeys/${passkey.id}`, { name: '' })).expect(400, 'validation_failed');
  });

  test('adding or removing a passkey needs the password when the sign-in is an hour old', async () => {
    const { ada, passkey } = await withPasskey();
    await backdateSessions(ada.email);
    for (const [path, body] of [
      ['/passkey/register-options', {}],
      ['/passkey/remove', { id: passkey.id }],
    ] as const) {
      (await ada.auth(path, body)).expect(403, 'password_needed');
      (await ada.auth(path, { ...body, password: 'wrong password' })).expect(400, 'invalid_password');
      (await ada.auth(path, { ...body, password: ada.password })).expect(200);
    }
  });

  test('adding a passkey needs a session, and an account has at most 20', async () => {
    (await new Person().auth('/passkey/register-options', {})).expect(401);
    const ada = await owner();
    for (let made = 0; made < 20; made++) (await offer(ada, new Authenticator(), {}, `Device ${made}`)).expect(200);
    (await ada.auth('/passkey/register-options', {})).expect(400, 'too_many_passkeys');
  });

  test.each([
    ['an empty body', {}],
    ['another credential type', { response: { id: 'a', rawId: 'a', type: 'password', response: {} } }],
    ['an incomplete passkey', { response: { id: 'a', rawId: 'a', type: 'public-key', response: {} } }],
  ])('signing in with %s answers 400', async (_what, body) => {
    (await new Person().auth('/passkey/sign-in', body)).expect(400, 'validation_failed');
  });

  test('twenty refused passkeys block the client address for a while', async () => {
    const { device } = await withPasskey();
    const stranger = new Person();
    for (let tried = 0; tried < 20; tried++) (await signIn(stranger, new Authenticator())).expect(401, 'passkey_refused');
    (await signIn(stranger, device)).expect(429, 'rate_limited');
  });
});

describe('a second factor', () => {
  /** Signs up a person with a second factor; returns the otpauth:// URL of its app and the backup codes. */
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
});
