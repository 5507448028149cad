import { hash } from 'node:crypto';
import { errorOf, mcp, redirectUri, rest, tokensOf } from './testing/agent.ts';
import { introspect, newPerson, useOauth } from './testing/use-oauth.ts';

const oauth = useOauth();

test.each([
  ['no redirect URI', []],
  ['no list of redirect URIs', undefined],
  ['http to another machine', ['http://agent.example/callback']],
  ['http to another machine beside an allowed one', [redirectUri, 'http://192.0.2.1/callback']],
  ['a fragment', [`${redirectUri}#part`]],
  ['an empty fragment', [`${redirectUri}#`]],
  ['an empty text', ['']],
  ['a script', ['javascript:alert(1)']],
  ['a relative address', ['/callback']],
  ['a user name', ['https://agent.example@evil.example/']],
])('a registration with %s is refused', async (_what, redirect_uris) => {
  const agent = oauth.agent();
  const [status, error] = await errorOf(await agent.register({ redirect_uris }));
  expect([status, error]).toEqual([400, 'invalid_redirect_uri']);
});

test.each([
  ['https://agent.example/cb?tenant=1'],
  ['http://127.0.0.1/cb'],
  ['http://localhost:7777/cb'],
  ['http://[::1]/cb'],
  ['cursor://agent/cb'],
  ['com.example.agent:/cb'],
])('a registration with %s is accepted', async (uri) => {
  expect((await oauth.agent().register({ redirect_uris: [uri] })).status).toBe(201);
});

/** The error that the agent is redirected back with. */
async function redirectedError(changes: Readonly<Record<string, string | null>>) {
  const agent = oauth.agent();
  await agent.register();
  const location = new URL((await agent.authorize(changes)).headers.get('location') ?? '');
  expect(location.origin + location.pathname).toBe(redirectUri);
  // The errors of an implicit request come in the fragment.
  return location.searchParams.get('error') ?? new URLSearchParams(location.hash.slice(1)).get('error');
}

test.each([
  ['without PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
  ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['with a challenge of no method, which means plain', { code_challenge_method: null }, 'invalid_request'],
  ['for a foreign resource', { resource: 'https://other.example/api/mcp' }, 'invalid_target'],
  ['for a resource that only looks like ours', { resource: `${mcp}x` }, 'invalid_target'],
  ['for a path below ours', { resource: `${mcp}/more` }, 'invalid_target'],
  ['for ours with a query', { resource: `${mcp}?a=b` }, 'invalid_target'],
  ['for a host that begins as ours', { resource: mcp.replace('/api/mcp', '.evil.example/api/mcp') }, 'invalid_target'],
  ['for ours over another scheme', { resource: mcp.replace('http:', 'https:') }, 'invalid_target'],
  ['for another port of the machine', { resource: 'http://127.0.0.1:9/api/mcp' }, 'invalid_target'],
  ['for an implicit token', { response_type: 'token' }, 'unsupported_response_type'],
  ['that must not show a page', { prompt: 'none' }, 'interaction_required'],
])('an authorization request %s is refused', async (_what, changes, error) => {
  expect(await redirectedError(changes)).toBe(error);
});

test.each([
  ['another host', 'https://evil.example/callback'],
  ['another path', 'https://agent.example/other'],
  ['another port', 'https://agent.example:8443/callback'],
  ['a path below', `${redirectUri}/more`],
  ['a query', `${redirectUri}?more`],
])('an authorization request with %s than registered stays on a page of ours', async (_what, redirect_uri) => {
  const agent = oauth.agent();
  await agent.register();
  const response = await agent.authorize({ redirect_uri });
  expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  expect(await response.text()).toContain('not registered');
});

test('only on loopback the port of a redirect is free', async () => {
  const agent = oauth.agent();
  await agent.register({ redirect_uris: ['http://127.0.0.1:1000/cb', 'cursor://agent:1000/cb'] });
  const leadsToPage = async (redirect_uri: string) =>
    (await agent.authorize({ redirect_uri })).headers.get('location')?.startsWith('/oauth/interaction/') ?? false;
  const uris = [
    'http://127.0.0.1:2000/cb',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:2000/other',
    'http://localhost:1000/cb',
    'cursor://agent:2000/cb',
  ];
  expect(await Promise.all(uris.map(leadsToPage))).toEqual([true, true, false, false, false]);
});

test('a code is exchanged with the right verifier, redirect, client and resource only, and a wrong try does not use it up', async () => {
  const person = await newPerson();
  const agent = oauth.agent();
  const code = await agent.code(person.email, person.password);
  const other = oauth.agent();
  await other.register();
  const tries: Record<string, string>[] = [
    { code_verifier: hash('sha256', 'another', 'base64url') },
    { redirect_uri: 'https://agent.example/other' },
    { client_id: other.clientId },
  ];
  const errors = [];
  for (const changes of tries) errors.push(await errorOf(await agent.exchange(code, changes)));
  expect(errors).toEqual(Array(3).fill([400, 'invalid_grant']));
  expect(await errorOf(await agent.exchange(code, { code_verifier: '' }))).toEqual([400, 'invalid_grant']);
  expect((await agent.exchange(code)).status).toBe(200);
  const again = await agent.code(person.email, person.password, { prompt: 'consent' });
  expect(await errorOf(await agent.exchange(again, { resource: rest }))).toEqual([400, 'invalid_target']);
});

test('a code that is used again gives nothing, and the tokens of its first use die', async () => {
  const person = await newPerson();
  const agent = oauth.agent();
  const code = await agent.code(person.email, person.password);
  const tokens = await tokensOf(await agent.exchange(code));
  expect((await introspect(tokens.access_token)).valid).toBe(true);
  expect(await errorOf(await agent.exchange(code))).toEqual([400, 'invalid_grant']);
  expect((await introspect(tokens.access_token)).valid).toBe(false);
  expect(await errorOf(await agent.refresh(tokens.refresh_token))).toEqual([400, 'invalid_grant']);
});

test('of concurrent uses of a code at two replicas at most one gives tokens, and they die', async () => {
  const person = await newPerson();
  const agent = oauth.agent();
  const code = await agent.code(person.email, person.password);
  const uses = [0, 1, 0, 1].map((replica) => {
    const sender = oauth.agent(replica);
    sender.clientId = agent.clientId;
    return sender.exchange(code, { code_verifier: agent.verifier });
  });
  const given = (await Promise.all(uses)).filter(({ status }) => status === 200);
  expect(given.length).toBeLessThanOrEqual(1);
  for (const answer of given) expect((await introspect((await tokensOf(answer)).access_token)).valid).toBe(false);
});

/** Connects an agent that has a secret. */
async function withSecret() {
  const person = await newPerson();
  const agent = oauth.agent();
  const registered = await agent.register({ token_endpoint_auth_method: 'client_secret_post' });
  const { client_secret } = (await registered.json()) as { client_secret: string };
  return { agent, client_secret, code: await agent.code(person.email, person.password) };
}

test('a wrong secret gives no tokens; after 20 the next one gets 429, and the right one still works', async () => {
  const { agent, client_secret, code } = await withSecret();
  const wrong = () => agent.exchange(code, { client_secret: 'wrong' });
  for (let tries = 0; tries < 20; tries++) expect(await errorOf(await wrong())).toEqual([401, 'invalid_client']);
  expect(await errorOf(await wrong())).toEqual([429, 'temporarily_unavailable']);
  await tokensOf(await agent.exchange(code, { client_secret }));
});

test('right secrets never count, however many a hosted agent sends at once', async () => {
  const { agent, client_secret } = await withSecret();
  const form = { token: 'unknown', client_id: agent.clientId, client_secret };
  const answers = await Promise.all(Array.from({ length: 60 }, () => agent.post('/oauth/revoke', form)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test.each(['code', 'refresh token'])(
  'after 20 times a wrong %s gets 429; a good one of the client still works, and other clients do',
  async (which) => {
    const person = await newPerson();
    const [agent, other] = [oauth.agent(), oauth.agent(1)];
    const tokens = await agent.connect(person.email, person.password);
    await other.register();
    other.network = agent.network;
    const wrong = (of = agent) => (which === 'code' ? of.exchange('wrong') : of.refresh('wrong'));
    for (let tries = 0; tries < 20; tries++) {
      agent.port = oauth.port(tries % 2);
      expect(await errorOf(await wrong())).toEqual([400, 'invalid_grant']);
    }
    const refused = await wrong();
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable', error_description: expect.stringContaining('wait') });
    expect(await errorOf(await wrong(other))).toEqual([400, 'invalid_grant']);
    agent.network = crypto.randomUUID();
    expect(await errorOf(await wrong())).toEqual([400, 'invalid_grant']);
    agent.network = other.network;
    await tokensOf(await agent.refresh(tokens.refresh_token));
  },
);
