import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { Authenticator, type CeremonyOptions } from '../harness/authenticator.ts';
import { mailedLink, mailsTo } from '../harness/mails.ts';
import { changeLink, confirmLink, owner, Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser } from '../harness/team.ts';
import { totp } from '../harness/totp.ts';

describe('sign in', () => {
  const sessionCookie = 'webkiln_session';
  const resetLink = /http\S+\/reset-password\?token=[^\s"]+/;
  const tokenIn = (link: string) => new URL(link).searchParams.get('token') ?? '';

  describe('the link that confirms the address of a new account', () => {
    /** A person who has signed up, and the mailed link. */
    async function signedUp(more?: Record<string, unknown>) {
      const ada = new Person();
      (await ada.signUp(more)).expect(200);
      return { ada, link: await mailedLink(sharedPlatform(), ada.email, confirmLink) };
    }

    test('confirms and signs in the browser that presses the button, which is in its own organization then', async () => {
      const { ada, link } = await signedUp();
      (await ada.signIn()).expect(403, 'email_not_verified');
      const phone = new Person({ email: ada.email });
      const { body } = (await phone.followConfirmLink(link)).expect(200);
      expect(body).toMatchObject({ status: true, user: { email: ada.email, emailVerified: true } });
      expect((await phone.api.get('/clients')).expect(200).body).toEqual({ clients: [], total: 0 });
      (await ada.api.get('/clients')).expect(401);
      (await ada.signIn()).expect(200);
      await eventually(async () => {
        const { entries } = (await phone.api.get('/account/audit')).expect(200).body;
        expect(entries).toContainEqual(expect.objectContaining({ action: 'session.started' }));
      });
    });

    test('opened by a scanner of mails, confirms nothing and signs nobody in', async () => {
      const { ada, link } = await signedUp();
      const scanned = await fetch(link, { redirect: 'manual', headers: { accept: 'text/html' } });
      expect([scanned.status, scanned.headers.getSetCookie()]).toEqual([200, []]);
      (await ada.signIn()).expect(403, 'email_not_verified');
      (await ada.followConfirmLink(link)).expect(200);
    });

    test('signs in once, of all links of the account together, also when they are used at the same moment', async () => {
      const { ada, link } = await signedUp();
      const { iat } = JSON.parse(Buffer.from(tokenIn(link).split('.')[1] ?? '', 'base64url').toString());
      // Links of one second are equal.
      await eventually(async () => expect(Date.now()).toBeGreaterThanOrEqual((iat + 1) * 1_000));
      (await ada.auth('/send-verification-email', { email: ada.email })).expect(200);
      const second = await mailedLink(sharedPlatform(), ada.email, confirmLink, link);
      const browsers = Array.from({ length: 6 }, () => new Person());
      const answers = await Promise.all(browsers.map((browser, at) => browser.followConfirmLink(at % 2 === 0 ? link : second)));
      expect(answers.map(({ status }) => status)).toEqual(browsers.map(() => 200));
      expect(answers.filter(({ body }) => body.user !== undefined)).toHaveLength(1);
      expect(browsers.filter(({ cookies }) => cookies.has(sessionCookie))).toHaveLength(1);
      expect((await ada.followConfirmLink(link)).expect(200).body).toEqual({ status: true });
    });

    test('with another token, one of a change of address, or none at all is refused', async () => {
      const { ada, link } = await signedUp();
      const [head, , signature] = tokenIn(link).split('.');
      const forged = Buffer.from(JSON.stringify({ email: ada.email, exp: 9_999_999_999 })).toString('base64url');
      for (const token of [`${head}.${forged}.${signature}`, 'unknown', '']) {
        (await ada.auth('/confirm-email', { token })).expect(401, 'invalid_token');
      }
      (await ada.auth('/confirm-email', {})).expect(400, 'validation_failed');
      await ada.confirmEmail();
      (await ada.auth('/change-email', { newEmail: `new-${ada.email}`, password: ada.password })).expect(200);
      (await ada.followConfirmLink(await mailedLink(sharedPlatform(), ada.email, changeLink))).expect(401, 'invalid_token');
    });

    test('is tried twenty times from one client address, and then no more', async () => {
      const ada = new Person();
      for (let tried = 0; tried < 20; tried++) (await ada.auth('/confirm-email', { token: `unknown-${tried}` })).expect(401);
      (await ada.auth('/confirm-email', { token: 'unknown' })).expect(429, 'rate_limited');
    });
  });

  test('the session cookie is host-only and HttpOnly, without Secure at http://localhost alone, and no response body shows its token', async () => {
    const ada = await owner();
    const answer = (await ada.signIn()).expect(200);
    const cookie = answer.headers.getSetCookie().find((each) => each.startsWith(sessionCookie)) ?? '';
    const attributes = cookie.toLowerCase().split('; ').slice(1).sort();
    expect(attributes).toEqual(['httponly', 'max-age=2592000', 'path=/', 'samesite=lax']);
    expect(JSON.stringify(answer.body)).not.toContain(ada.cookies.get(sessionCookie)?.split('.')[0]);
  });

  test('an address that browsers take signs up, signs in and is invited; an internationalized domain is its ASCII form', async () => {
    const name = `r&d/x=y.${randomUUID()}`;
    const [written, ascii] = [`${name}@bücher.example`, `${name}@xn--bcher-kva.example`];
    const person = new Person({ email: ascii });
    (await person.signUp({ email: written, organization_name: 'Research' })).expect(200);
    await person.confirmEmail();
    expect((await person.signIn()).expect(200).body.user.email).toBe(ascii);
    expect((await person.signIn(person.password, { email: written })).expect(200).body.user.email).toBe(ascii);
    (await person.auth('/request-password-reset', { email: written })).expect(200);
    await mailedLink(sharedPlatform(), ascii, resetLink);
    const invited = { email: `a{b}@${randomUUID()}.例え`, role: 'viewer' };
    const { invitation } = (await person.api.post('/account/invitations', invited)).expect(201).body;
    expect(invitation.email).toBe(invited.email.replace('例え', 'xn--r8jz45g'));
  });

  test('signing in always starts a new session', async () => {
    const ada = await owner();
    const before = ada.cookies.get(sessionCookie);
    (await ada.signIn()).expect(200);
    expect(ada.cookies.get(sessionCookie)).not.toBe(before);
    const planted = new Person({ email: ada.email });
    planted.cookies.set(sessionCookie, 'a'.repeat(32));
    (await planted.signIn(ada.password)).expect(200);
    expect(planted.cookies.get(sessionCookie)).not.toContain('a'.repeat(32));
  });

  test('of one account twenty sessions are live: the next sign-in ends the oldest', async () => {
    const ada = await owner();
    const browsers = Array.from({ length: 20 }, () => new Person({ email: ada.email }));
    for (const browser of browsers) (await browser.signIn(ada.password)).expect(200);
    await eventually(async () => (await ada.api.get('/projects')).expect(401, 'invalid_session'));
    for (const { api } of browsers) (await api.get('/projects')).expect(200);
  });

  test('signing out ends the session at every process', async () => {
    const ada = await owner();
    const api = ada.api;
    (await api.get('/projects')).expect(200);
    (await ada.auth('/sign-out', {})).expect(200);
    await eventually(async () => (await api.get('/projects')).expect(401, 'invalid_session'));
  });

  describe('requests from other origins', () => {
    const foreign: readonly Record<string, string>[] = [
      { origin: 'https://evil.example' },
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'null', 'sec-fetch-site': 'none' },
    ];
    const gateway = sharedPlatform().origins[0] ?? '';

    test.each(foreign)('a request with a session and the headers %j answers 403', async (headers) => {
      const { origin: _origin, ...own } = (await owner()).headers();
      (await new Api(`${gateway}/api/v1`, undefined, { ...own, ...headers }).get('/projects')).expect(403, 'foreign_page');
    });

    test.each(foreign)('a sign-in with the headers %j answers 403', async (headers) => {
      const api = new Api(`${gateway}/api/auth`, undefined, headers);
      (await api.post('/sign-in/email', { email: 'ada@example.com', password: 'whatever' })).expect(403, 'foreign_page');
    });

    test('a request from our own page is accepted by Sec-Fetch-Site or by Origin', async () => {
      const ada = await owner();
      const { origin: _origin, ...sent } = ada.headers();
      const url = `${sharedPlatform().origins[0]}/api/v1/projects`;
      expect((await fetch(url, { headers: { ...sent, 'sec-fetch-site': 'same-origin' } })).status).toBe(200);
      expect((await fetch(url, { headers: ada.headers() })).status).toBe(200);
    });
  });

  test('ten wrong passwords block the account for their network alone, and an unknown account equally', async () => {
    const ada = await owner();
    const nobody = new Person();
    for (const person of [ada, nobody]) {
      const elsewhere = new Person({ email: person.email });
      for (let tried = 0; tried < 10; tried++) (await elsewhere.signIn('wrong password')).expect(401, 'invalid_email_or_password');
      (await elsewhere.signIn(person.password)).expect(429, 'rate_limited');
    }
    (await ada.signIn()).expect(200);
  });

  test('twenty wrong passwords from one client address block that address for every account', async () => {
    const ada = await owner();
    for (let tried = 0; tried < 20; tried++) {
      (await ada.auth('/sign-in/email', { email: `nobody-${tried}@example.com`, password: 'wrong password' })).expect(401);
    }
    (await ada.signIn()).expect(429, 'rate_limited');
    (await new Person({ email: ada.email }).signIn(ada.password)).expect(200);
  });

  test('signing up with a known address answers as with a new one, and its owner gets a mail', async () => {
    const ada = await owner();
    const again = new Person({ email: ada.email });
    const fresh = await new Person().signUp();
    const known = await again.signUp();
    expect([known.status, Object.keys(known.body.user).sort()]).toEqual([200, Object.keys(fresh.body.user).sort()]);
    await mailedLink(sharedPlatform(), ada.email, /http\S+\/sign-in/);
    (await ada.signIn()).expect(200);
    (await again.signIn()).expect(401);
  });

  test('a password reset request answers equally for any address, and mails only existing accounts', async () => {
    const ada = await owner();
    const nobody = new Person();
    const [known, unknown] = [
      await ada.auth('/request-password-reset', { email: ada.email }),
      await nobody.auth('/request-password-reset', { email: nobody.email }),
    ];
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    await mailedLink(sharedPlatform(), ada.email, resetLink);
    expect(mailsTo(sharedPlatform(), nobody.email)).toEqual([]);
  });

  test('a password reset link works once and ends every session', async () => {
    const ada = await owner();
    (await ada.auth('/request-password-reset', { email: ada.email })).expect(200);
    const token = tokenIn(await mailedLink(sharedPlatform(), ada.email, resetLink));
    const api = ada.api;
    (await ada.auth('/reset-password', { token, newPassword: 'the new password' })).expect(200);
    (await ada.auth('/reset-password', { token, newPassword: 'another password' })).expect(400, 'invalid_token');
    await eventually(async () => (await api.get('/projects')).expect(401));
    (await ada.signIn()).expect(401);
    (await ada.signIn('the new password')).expect(200);
  });

  test('a password reset replaces a password that was set before the address was verified', async () => {
    const squatter = new Person();
    (await squatter.signUp()).expect(200);
    const ada = new Person({ email: squatter.email });
    (await ada.auth('/request-password-reset', { email: ada.email })).expect(200);
    const token = tokenIn(await mailedLink(sharedPlatform(), ada.email, resetLink));
    (await ada.auth('/reset-password', { token, newPassword: ada.password })).expect(200);
    (await squatter.signIn()).expect(401);
    (await ada.signIn()).expect(200);
  });

  test('changing the password needs the current one and ends the other sessions', async () => {
    const ada = await owner();
    const phone = new Person({ email: ada.email });
    (await phone.signIn(ada.password)).expect(200);
    const change = { newPassword: 'the new password', revokeOtherSessions: true };
    (await ada.auth('/change-password', { currentPassword: 'wrong', ...change })).expect(400, 'invalid_password');
    (await ada.auth('/change-password', { currentPassword: ada.password, ...change })).expect(200);
    await eventually(async () => (await phone.api.get('/projects')).expect(401));
    (await ada.api.get('/projects')).expect(200);
  });

  describe('changing the email address', () => {
    /** Requests the change; returns the link that was mailed to the old address. */
    async function askedLink(person: Person, newEmail: string): Promise<string> {
      (await person.auth('/change-email', { newEmail, password: person.password })).expect(200);
      return mailedLink(sharedPlatform(), person.email, changeLink);
    }

    test('the change takes effect after both addresses confirm; sessions continue, and links work once', async () => {
      const ada = await owner();
      const newEmail = `new-${ada.email}`;
      const old = await askedLink(ada, newEmail);
      (await ada.auth(old)).expect(302);
      (await ada.signIn()).expect(200);
      const last = await mailedLink(sharedPlatform(), newEmail, changeLink);
      (await new Person().auth(last)).expect(302);
      expect((await ada.api.get('/account/session')).expect(200).body.account).toMatchObject({ email: newEmail, email_verified: true });
      (await ada.signIn()).expect(401);
      (await new Person({ email: newEmail }).signIn(ada.password)).expect(200);
      for (const link of [old, last]) expect((await ada.auth(link)).expect(302).headers.get('location')).toContain('error=INVALID_TOKEN');
      await eventually(async () => {
        const { entries } = (await ada.api.get('/account/audit')).expect(200).body;
        expect(entries).toContainEqual(
          expect.objectContaining({ action: 'email.changed', target: expect.objectContaining({ name: ada.email }) }),
        );
      });
    });

    test('the change needs a session and the password', async () => {
      const ada = await owner();
      const newEmail = `new-${ada.email}`;
      (await ada.auth('/change-email', { newEmail })).expect(400, 'validation_failed');
      (await ada.auth('/change-email', { newEmail, password: 'wrong password' })).expect(400, 'invalid_password');
      (await new Person().auth('/change-email', { newEmail, password: ada.password })).expect(401);
      expect(mailsTo(sharedPlatform(), ada.email)).toHaveLength(1);
    });

    test('a change to a known address answers as any other and sends it no mail', async () => {
      const [ada, bob] = await Promise.all([owner(), owner()]);
      const nobodys = await ada.auth('/change-email', { newEmail: `new-${ada.email}`, password: ada.password });
      const bobs = await ada.auth('/change-email', { newEmail: bob.email, password: ada.password });
      expect([bobs.status, bobs.body]).toEqual([nobodys.status, nobodys.body]);
      expect(mailsTo(sharedPlatform(), bob.email)).toHaveLength(1);
    });

    test('a change to an address that another account took in the meantime is refused with ADDRESS_TAKEN', async () => {
      const [ada, bob] = await Promise.all([owner(), owner()]);
      const newEmail = `new-${ada.email}`;
      const confirm = async (person: Person) => (await person.auth(await askedLink(person, newEmail))).expect(302);
      await confirm(ada);
      const adas = await mailedLink(sharedPlatform(), newEmail, changeLink);
      await confirm(bob);
      const bobs = await mailedLink(sharedPlatform(), newEmail, changeLink, adas);
      (await ada.auth(adas)).expect(302);
      expect((await bob.auth(bobs)).expect(302).headers.get('location')).toBe('/?error=ADDRESS_TAKEN');
      expect((await bob.api.get('/account/session')).expect(200).body.account.email).toBe(bob.email);
    });

    test('a link whose callback hides another host behind dot segments leads to no other host', async () => {
      const [ada, bob] = await Promise.all([owner(), owner()]);
      const newEmail = `new-${ada.email}`;
      (await ada.auth(await askedLink(ada, newEmail))).expect(302);
      const adas = await mailedLink(sharedPlatform(), newEmail, changeLink);
      (await bob.auth(await askedLink(bob, newEmail))).expect(302);
      const bobs = await mailedLink(sharedPlatform(), newEmail, changeLink, adas);
      (await ada.auth(adas)).expect(302);
      const hostile = bobs.replace(/callbackURL=[^&]*/, `callbackURL=${encodeURIComponent('/.//evil.example')}`);
      expect((await bob.auth(hostile)).expect(302).headers.get('location')).toBe('/evil.example?error=ADDRESS_TAKEN');
    });
  });

  test.each([
    [
      'an unknown field',
      '/sign-up/email',
      { name: 'A', email: 'a@example.com', password: 'long enough', role: 'owner' },
      400,
      'validation_failed',
    ],
    ['a short password', '/sign-up/email', { name: 'A', email: 'a@example.com', password: 'short' }, 400, 'validation_failed'],
    ['no address', '/sign-in/email', { email: 'a', password: 'long enough' }, 400, 'validation_failed'],
    ['a list instead of an object', '/sign-in/email', [], 400, 'validation_failed'],
    ['a library route that we do not offer', '/delete-user', {}, 404, 'route_not_found'],
    ['more than 16 KB', '/sign-in/email', { email: 'a'.repeat(20_000), password: 'p' }, 413, 'body_too_large'],
  ])('%s is refused in the error envelope', async (_what, path, body, status, code) => {
    const answer = (await new Person().auth(path, body)).expect(status, code);
    expect(answer.body).toMatchObject({ error: expect.any(String), request_id: expect.any(String) });
  });

  test('Safari, which takes no Secure cookie from http://localhost, signs in there with password, second factor and remembered device, and out', async () => {
    const ada = await owner({ isSafari: true });
    expect([...ada.cookies.keys()]).toEqual(['webkiln_session', 'webkiln_devices']);
    const { totpURI } = (await ada.auth('/two-factor/enable', { password: ada.password })).expect(200).body;
    (await ada.auth('/two-factor/verify-totp', { code: totp(totpURI) })).expect(200);
    (await ada.auth('/sign-out', {})).expect(200);
    expect(ada.cookies.has('webkiln_session')).toBe(false);
    expect((await ada.signIn()).expect(200).body.twoFactorRedirect).toBe(true);
    expect(ada.cookies.has('webkiln_two_factor')).toBe(true);
  });

  test('a plain cookie at http://localhost goes before one with the prefix, which an earlier release left behind', async () => {
    const [ada, eve] = [await owner(), await owner()];
    const of = ({ cookies }: Person) => cookies.get('webkiln_session') ?? '';
    const api = (cookie: string) => new Api(`${sharedPlatform().origins[0]}/api/v1`, undefined, { ...ada.headers(), cookie });
    const email = async (cookie: string) => (await api(cookie).get('/account/session')).body.account.email;
    expect(await email(`__Host-webkiln_session=${of(eve)}; webkiln_session=${of(ada)}`)).toBe(ada.email);
    expect(await email(`__Host-webkiln_session=${of(eve)}`)).toBe(eve.email);
    // A cookie that a page sets keeps its name.
    const page = await fetch(`${sharedPlatform().origins[0]}/`, { headers: { cookie: `webkiln_language=fr; webkiln_session=${of(ada)}` } });
    expect(await page.text()).toContain('<html lang="fr">');
  });
});

describe('passkeys', () => {
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
});
