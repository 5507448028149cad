import { newMember, newOrganization } from '../testing/running-identity.ts';
import { redirectUri, tokensOf } from './testing/agent.ts';
import { introspect, newPerson, useOauth } from './testing/use-oauth.ts';

const oauth = useOauth();

/** The memberships that a consent page offers, in order. */
const choicesOf = (html: string) => [...html.matchAll(/type="radio" name="membership" value="([^"]+)"/g)].map(([, id]) => id);

/** An agent with an authorization request on its consent page. */
async function onConsent(changes?: Readonly<Record<string, string | null>>, metadata?: object) {
  const person = await newPerson();
  const agent = oauth.agent();
  await agent.register({ ...metadata });
  const page = await agent.openPage(changes);
  return { person, agent, page, consent: await agent.signIn(page, person.email, person.password) };
}

test('pages have labelled inputs and no script in them, cannot be framed, and submit to us and to the validated redirect alone', async () => {
  const { page, consent } = await onConsent();
  for (const { html, response } of [page, consent]) {
    expect(html).not.toMatch(/\son\w+=|style=|javascript:/i);
    for (const [, id] of html.matchAll(/<input id="(\w+)"/g)) expect(html).toContain(`<label for="${id}">`);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toMatch(/form-action 'self' https:\/\/agent\.example$/);
    expect(response.headers.get('cache-control')).toBe('no-store');
  }
  expect([page, consent].map(({ html }) => html.match(/<script[^>]*>[^<]*/g))).toEqual([['<script src="/oauth/passkey.js" defer>'], null]);
  expect(
    [page, consent].map(({ response }) => /script-src ([^;]*)/.exec(response.headers.get('content-security-policy') ?? '')?.[1]),
  ).toEqual(["'self'", undefined]);
  expect(consent.html).toMatch(
    /<button name="decision" value="deny" formnovalidate>Deny<\/button><button class="primary" name="decision" value="allow">Allow<\/button>/,
  );
  expect(consent.html).toContain('<dd class="host">agent.example</dd>');
  expect(consent.html).toContain('unverified');
});

test.each([
  ['http://127.0.0.1:7777/cb', 'http://127.0.0.1:7777', 'this computer (127.0.0.1)'],
  ['cursor://agent/cb', 'cursor:', 'the app behind cursor://'],
])('the page of %s names where access goes, and lets the browser go there', async (uri, source, host) => {
  const { consent } = await onConsent({ redirect_uri: uri }, { redirect_uris: [uri] });
  expect(consent.response.headers.get('content-security-policy')).toMatch(
    new RegExp(`form-action 'self' ${source.replaceAll(/[.]/g, '\\.')}$`),
  );
  expect(consent.html).toContain(host);
});

test("an agent's name is shown as text", async () => {
  const { consent } = await onConsent({}, { client_name: '<img src=x onerror=alert(1)>"' });
  expect(consent.html).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;');
  expect(consent.html).not.toContain('<img');
});

test('a person who denies sends the agent back with access_denied, and no token', async () => {
  const { agent, consent } = await onConsent();
  const callback = await agent.follow(await agent.submit(consent, { step: 'decide', decision: 'deny' }));
  expect([callback.origin, callback.searchParams.get('error'), callback.searchParams.get('code')]).toEqual([
    'https://agent.example',
    'access_denied',
    null,
  ]);
});

test('a form counts only with the token of its page and session, from our origin, in the browser that began the request', async () => {
  const { agent, person, consent } = await onConsent();
  const form = { step: 'decide', decision: 'allow', membership: person.member_id };
  const token = /name="token" value="([^"]+)"/.exec(consent.html)?.[1] ?? '';
  expect((await agent.post(consent.path, form)).status).toBe(403);
  expect((await agent.post(consent.path, { ...form, token: 'x'.repeat(43) })).status).toBe(403);
  expect((await agent.post(consent.path, { ...form, token }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  const thief = oauth.agent();
  expect((await thief.reload(consent.path)).html).toContain('another browser');
  thief.cookies.set('__Host-webkiln_session', agent.cookies.get('__Host-webkiln_session') ?? '');
  expect((await thief.post(consent.path, { ...form, token })).status).toBe(400);
  const other = await onConsent();
  expect(
    (await agent.post(consent.path, { ...form, token: /name="token" value="([^"]+)"/.exec(other.consent.html)?.[1] ?? '' })).status,
  ).toBe(403);
  expect((await agent.allow(consent, person.member_id)).searchParams.get('code')).toMatch(/./);
});

test('a person cannot connect an agent to an organization that it does not belong to', async () => {
  const { agent, consent } = await onConsent();
  const stranger = await newPerson();
  const answered = await agent.submit(consent, { step: 'decide', decision: 'allow', membership: stranger.member_id });
  expect([answered.status, await answered.text()]).toEqual([400, expect.stringContaining('Choose an organization')]);
});

test('a person of two organizations chooses one, and the token is for that one alone', async () => {
  const person = await newPerson();
  const second = await newOrganization({ name: 'Second kiln' });
  const member_id = await newMember(second, 'viewer', person.email);
  const agent = oauth.agent();
  await agent.register();
  const consent = await agent.signIn(await agent.openPage(), person.email, person.password);
  expect(choicesOf(consent.html)).toEqual([person.member_id, member_id]);
  expect(consent.html).not.toContain('checked');
  const code = (await agent.allow(consent, member_id)).searchParams.get('code') ?? '';
  expect(await introspect((await tokensOf(await agent.exchange(code))).access_token)).toMatchObject({
    valid: true,
    org_id: second,
    role: 'viewer',
  });
  const again = await agent.openPage({ prompt: 'consent' });
  expect(choicesOf(again.html)).toEqual([member_id, person.member_id]);
  expect(again.html.match(/value="([^"]+)" required checked/)?.[1]).toBe(member_id);
  expect((await agent.submit(again, { step: 'decide', decision: 'allow' })).status).toBe(400);
});

test('who is signed in to the dashboard is not asked for a password', async () => {
  const { agent } = await onConsent();
  expect((await agent.openPage()).html).toContain('Allow');
  await agent.submit(await agent.openPage(), { step: 'sign-out' });
  expect((await agent.openPage()).html).toContain('name="password"');
});

test('a consent is remembered for the same https host alone, and asked again where any program could take the answer', async () => {
  const { agent, person, consent } = await onConsent();
  await agent.allow(consent);
  const again = await agent.follow(
    await agent.reload((await agent.authorize()).headers.get('location') ?? '').then(({ response }) => response),
  );
  expect([again.href.startsWith(redirectUri), again.searchParams.get('code')]).toEqual([true, expect.any(String)]);
  expect((await agent.openPage({ prompt: 'consent' })).html).toContain('Allow');
  const local = oauth.agent();
  const uri = 'http://localhost:7777/cb';
  await local.register({ redirect_uris: [uri] });
  await local.allow(await local.signIn(await local.openPage({ redirect_uri: uri }), person.email, person.password));
  expect((await local.openPage({ redirect_uri: uri })).html).toContain('Allow');
});

test('a wrong password is told on the page; after 10 the account takes none from this network, also at another replica', async () => {
  const person = await newPerson();
  const agent = oauth.agent();
  await agent.register();
  const page = await agent.openPage();
  for (let tries = 0; tries < 10; tries++) {
    agent.port = oauth.port(tries % 2);
    const wrong = await agent.submit(page, { step: 'sign-in', email: person.email, password: 'wrong' });
    expect([wrong.status, await wrong.text()]).toEqual([401, expect.stringContaining('Invalid email or password')]);
  }
  const refused = await agent.submit(page, { step: 'sign-in', email: person.email, password: person.password });
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect(await refused.text()).toContain('wrong too often');
});
