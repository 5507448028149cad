import { eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { linkTo, mailsTo } from '../harness/mails.ts';
import { owner, Person, verifyLink } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const sessionCookie = '__Host-webkiln_session';
const resetLink = /http\S+\/reset-password\?token=[^\s"]+/;
const tokenIn = (link: string) => new URL(link).searchParams.get('token') ?? '';

test('who signs up proves his address by mail, signs in, and is in the organization that he asked for', async () => {
  const ada = new Person();
  (await ada.signUp()).expect(200);
  (await ada.signIn()).expect(403, 'email_not_verified');
  await ada.verify();
  (await ada.signIn()).expect(200);
  expect((await ada.api.get('/clients')).expect(200).body).toEqual({ clients: [], total: 0 });
});

test('the cookie is this host’s alone, out of scripts’ reach, and no answer shows its token', async () => {
  const ada = await owner();
  const answer = (await ada.signIn()).expect(200);
  const cookie = answer.headers.getSetCookie().find((each) => each.startsWith(sessionCookie)) ?? '';
  const attributes = cookie.toLowerCase().split('; ').slice(1).sort();
  expect(attributes).toEqual(['httponly', 'max-age=2592000', 'path=/', 'samesite=lax', 'secure']);
  expect(JSON.stringify(answer.body)).not.toContain(ada.cookies.get(sessionCookie)?.split('.')[0]);
});

test('a session that was there before signing in is not the one after it', async () => {
  const ada = await owner();
  const before = ada.cookies.get(sessionCookie);
  (await ada.signIn()).expect(200);
  expect(ada.cookies.get(sessionCookie)).not.toBe(before);
  const planted = new Person({ email: ada.email });
  planted.cookies.set(sessionCookie, 'a'.repeat(32));
  (await planted.signIn(ada.password)).expect(200);
  expect(planted.cookies.get(sessionCookie)).not.toContain('a'.repeat(32));
});

test('signing out ends the session everywhere', async () => {
  const ada = await owner();
  const api = ada.api;
  (await api.get('/projects')).expect(200);
  (await ada.auth('/sign-out', {})).expect(200);
  await eventually(async () => (await api.get('/projects')).expect(401, 'invalid_session'));
});

describe('a request from a foreign page', () => {
  const foreign: readonly Record<string, string>[] = [
    { origin: 'https://evil.example' },
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null', 'sec-fetch-site': 'none' },
  ];
  const gateway = sharedPlatform().origins[0] ?? '';

  test.each(foreign)('is refused where somebody is signed in: %j', async (headers) => {
    const { origin: _origin, ...own } = (await owner()).headers();
    (await new Api(`${gateway}/api/v1`, undefined, { ...own, ...headers }).get('/projects')).expect(403, 'foreign_page');
  });

  test.each(foreign)('signs nobody in: %j', async (headers) => {
    const api = new Api(`${gateway}/api/auth`, undefined, headers);
    (await api.post('/sign-in/email', { email: 'ada@example.com', password: 'whatever' })).expect(403, 'foreign_page');
  });

  test('is told from one of our own pages by what the browser says, with or without an Origin', async () => {
    const ada = await owner();
    const { origin: _origin, ...sent } = ada.headers();
    const url = `${sharedPlatform().origins[0]}/api/v1/projects`;
    expect((await fetch(url, { headers: { ...sent, 'sec-fetch-site': 'same-origin' } })).status).toBe(200);
    expect((await fetch(url, { headers: ada.headers() })).status).toBe(200);
  });
});

test('after twenty wrong passwords the right one is refused too, from anywhere, and so for an address that has no account', async () => {
  const ada = await owner();
  const nobody = new Person();
  for (const person of [ada, nobody]) {
    for (let tried = 0; tried < 20; tried++) {
      const elsewhere = new Person({ email: person.email });
      (await elsewhere.signIn('wrong password')).expect(401, 'invalid_email_or_password');
    }
    (await new Person({ email: person.email }).signIn(person.password)).expect(429, 'rate_limited');
  }
});

test('after twenty wrong passwords from one address it is refused, whosever accounts they were for', async () => {
  const ada = await owner();
  for (let tried = 0; tried < 20; tried++) {
    (await ada.auth('/sign-in/email', { email: `nobody-${tried}@example.com`, password: 'wrong password' })).expect(401);
  }
  (await ada.signIn()).expect(429, 'rate_limited');
  (await new Person({ email: ada.email }).signIn(ada.password)).expect(200);
});

test('signing up with an address that has an account is answered as with any other, and its owner told by mail', async () => {
  const ada = await owner();
  const again = new Person({ email: ada.email });
  const fresh = await new Person().signUp();
  const known = await again.signUp();
  expect([known.status, Object.keys(known.body.user).sort()]).toEqual([200, Object.keys(fresh.body.user).sort()]);
  await linkTo(sharedPlatform(), ada.email, /http\S+\/sign-in/);
  (await ada.signIn()).expect(200);
  (await again.signIn()).expect(401);
});

test('asking for a new password is answered alike for any address, and mails only who has an account', async () => {
  const ada = await owner();
  const nobody = new Person();
  const [known, unknown] = [
    await ada.auth('/request-password-reset', { email: ada.email }),
    await nobody.auth('/request-password-reset', { email: nobody.email }),
  ];
  expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
  await linkTo(sharedPlatform(), ada.email, resetLink);
  expect(mailsTo(sharedPlatform(), nobody.email)).toEqual([]);
});

test('a link for a new password works once, and ends every session', async () => {
  const ada = await owner();
  (await ada.auth('/request-password-reset', { email: ada.email })).expect(200);
  const token = tokenIn(await linkTo(sharedPlatform(), ada.email, resetLink));
  const api = ada.api;
  (await ada.auth('/reset-password', { token, newPassword: 'the new password' })).expect(200);
  (await ada.auth('/reset-password', { token, newPassword: 'another password' })).expect(400, 'invalid_token');
  await eventually(async () => (await api.get('/projects')).expect(401));
  (await ada.signIn()).expect(401);
  (await ada.signIn('the new password')).expect(200);
});

test('a password that was chosen before the address was proved opens nothing to who takes the account over by mail', async () => {
  const squatter = new Person();
  (await squatter.signUp()).expect(200);
  const ada = new Person({ email: squatter.email });
  (await ada.auth('/request-password-reset', { email: ada.email })).expect(200);
  const token = tokenIn(await linkTo(sharedPlatform(), ada.email, resetLink));
  (await ada.auth('/reset-password', { token, newPassword: ada.password })).expect(200);
  (await squatter.signIn()).expect(401);
  (await ada.signIn()).expect(200);
});

test('a password is changed by who knows it, and the other sessions end', async () => {
  const ada = await owner();
  const phone = new Person({ email: ada.email });
  (await phone.signIn(ada.password)).expect(200);
  const change = { newPassword: 'the new password', revokeOtherSessions: true };
  (await ada.auth('/change-password', { currentPassword: 'wrong', ...change })).expect(400, 'invalid_password');
  (await ada.auth('/change-password', { currentPassword: ada.password, ...change })).expect(200);
  await eventually(async () => (await phone.api.get('/projects')).expect(401));
  (await ada.api.get('/projects')).expect(200);
});

describe('a change of address', () => {
  /** Asks for the change; the link that goes to the old address. */
  async function askedLink(person: Person, newEmail: string): Promise<string> {
    const signUpLink = await linkTo(sharedPlatform(), person.email, verifyLink);
    (await person.auth('/change-email', { newEmail, password: person.password })).expect(200);
    return linkTo(sharedPlatform(), person.email, verifyLink, signUpLink);
  }

  test('takes effect once the old one and the new one have agreed; sessions go on, links work once', async () => {
    const ada = await owner();
    const newEmail = `new-${ada.email}`;
    const old = await askedLink(ada, newEmail);
    (await ada.auth(old)).expect(302);
    (await ada.signIn()).expect(200);
    const last = await linkTo(sharedPlatform(), newEmail, verifyLink);
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

  test('is for who knows the password and is signed in', async () => {
    const ada = await owner();
    const newEmail = `new-${ada.email}`;
    (await ada.auth('/change-email', { newEmail })).expect(400, 'validation_failed');
    (await ada.auth('/change-email', { newEmail, password: 'wrong password' })).expect(400, 'invalid_password');
    (await new Person().auth('/change-email', { newEmail, password: ada.password })).expect(401);
    expect(mailsTo(sharedPlatform(), ada.email)).toHaveLength(1);
  });

  test('to one that has an account is answered alike, and nobody is told', async () => {
    const [ada, bob] = await Promise.all([owner(), owner()]);
    const nobodys = await ada.auth('/change-email', { newEmail: `new-${ada.email}`, password: ada.password });
    const bobs = await ada.auth('/change-email', { newEmail: bob.email, password: ada.password });
    expect([bobs.status, bobs.body]).toEqual([nobodys.status, nobodys.body]);
    expect(mailsTo(sharedPlatform(), bob.email)).toHaveLength(1);
  });

  test('to one that somebody else has come to have meanwhile is refused, on the page that asked for it', async () => {
    const [ada, bob] = await Promise.all([owner(), owner()]);
    const newEmail = `new-${ada.email}`;
    const confirm = async (person: Person) => (await person.auth(await askedLink(person, newEmail))).expect(302);
    await confirm(ada);
    const adas = await linkTo(sharedPlatform(), newEmail, verifyLink);
    await confirm(bob);
    const bobs = await linkTo(sharedPlatform(), newEmail, verifyLink, adas);
    (await ada.auth(adas)).expect(302);
    expect((await bob.auth(bobs)).expect(302).headers.get('location')).toBe('/?error=ADDRESS_TAKEN');
    expect((await bob.api.get('/account/session')).expect(200).body.account.email).toBe(bob.email);
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
  ['what the library offers and we do not', '/delete-user', {}, 404, 'route_not_found'],
  ['more than 16 KB', '/sign-in/email', { email: 'a'.repeat(20_000), password: 'p' }, 413, 'body_too_large'],
])('%s is refused in the envelope of every error', async (_what, path, body, status, code) => {
  const answer = (await new Person().auth(path, body)).expect(status, code);
  expect(answer.body).toMatchObject({ error: expect.any(String), request_id: expect.any(String) });
});
