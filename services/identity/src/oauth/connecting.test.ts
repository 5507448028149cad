import { randomUUID } from 'node:crypto';
import { agentAbilitiesFor, baseScope } from '@webkiln/contract';
import mongoose from 'mongoose';
import { newMember, newOrganization } from '../testing/running-identity.ts';
import { endpoints, metadataDocuments } from './metadata.ts';
import { mcp, redirectUri, rest, tokensOf } from './testing/agent.ts';
import { decision, origin } from './testing/browser.ts';
import { introspect, newPerson, useOauth } from './testing/use-oauth.ts';

const oauth = useOauth();

describe('metadata', () => {
  const [server, resource] = ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource'];
  const openid = '/.well-known/openid-configuration';
  const paths = [server, openid, resource].flatMap((path) => [path, `${path}/api/mcp`, `${path}/api/v1`, `/api/mcp${path}`]);

  test('the metadata is at every path that clients look at, as open JSON, whatever host the caller states', async () => {
    for (const path of paths) {
      const response = await oauth.agent().send(path, { headers: { 'x-forwarded-host': 'evil.example', host: 'evil.example' } });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
      expect(await response.text()).toBe(metadataDocuments(origin).get(path));
    }
    for (const other of [`${server}/other`, `/api/v1${server}`]) expect((await oauth.agent().send(other)).status).toBe(404);
  });

  test('every document and every answer names the same issuer, byte for byte and without a trailing slash', async () => {
    const documents = [...metadataDocuments(origin).values()];
    const named = documents.flatMap((text) =>
      [...text.matchAll(/"(?:issuer|authorization_servers)":\[?"([^"]*)"/g)].map(([, issuer]) => issuer),
    );
    expect([named.length, new Set(named)]).toEqual([documents.length, new Set([origin])]);
    const agent = oauth.agent();
    await agent.register();
    const refused = new URL((await agent.authorize({ code_challenge: null })).headers.get('location') ?? '');
    expect(refused.href.startsWith(redirectUri)).toBe(true);
    expect(refused.searchParams.get('iss')).toBe(origin);
  });

  test('the documents name what the server does', async () => {
    const read = async (path: string) => (await oauth.agent().send(path)).json();
    expect(await read(server)).toMatchObject({
      authorization_endpoint: `${origin}/oauth/authorize`,
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      response_types_supported: ['code'],
      scopes_supported: ['mcp'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256', 'EdDSA', 'Ed25519'],
      revocation_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256', 'EdDSA', 'Ed25519'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
    expect([await read(resource), await read(`${resource}/api/mcp`), await read(`${resource}/api/v1`)]).toMatchObject([
      { resource: mcp, authorization_servers: [origin], scopes_supported: ['mcp'] },
      { resource: mcp },
      { resource: rest },
    ]);
    const { keys } = (await read(endpoints.jwks)) as { keys: Record<string, string>[] };
    expect(keys.map(({ kty, alg, d }) => [kty, alg, d])).toEqual([['EC', 'ES256', undefined]]);
  });

  test('what the library offers besides is not open', async () => {
    const agent = oauth.agent();
    const closed = [
      '/oauth/me',
      '/session/end',
      '/oauth/session/end/confirm',
      '/token/introspection',
      '/request',
      '/oauth/',
      '/.well-known/other',
    ];
    for (const path of closed) {
      expect([path, (await agent.send(path)).status]).toEqual([path, 404]);
      expect([path, (await agent.post(path, {})).status]).toEqual([path, 404]);
    }
  });
});

describe('registration', () => {
  const clients = () => mongoose.connection.collection<{ _id: string; expires_at: Date }>('oauth_clients');
  const days = async (_id: string) =>
    Math.round((((await clients().findOne({ _id }))?.expires_at.getTime() ?? 0) - Date.now()) / 86_400_000);

  test('a network registers 20 agents in 10 minutes, over all replicas; another network is not concerned', async () => {
    const [one, two, other] = [oauth.agent(0), oauth.agent(1), oauth.agent(0)];
    const both = [one, Object.assign(two, { network: one.network })];
    for (let count = 0; count < 20; count++) expect((await (both[count % 2] ?? one).register()).status).toBe(201);
    const refused = await two.register();
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await other.register()).status).toBe(201);
  });

  test('a registration that nobody uses expires after 7 days; one that a person connected is kept for months', async () => {
    const person = await newPerson();
    const [unused, used] = [oauth.agent(), oauth.agent()];
    await unused.register();
    await used.code(person.email, person.password);
    expect([await days(unused.clientId), await days(used.clientId)]).toEqual([7, 400]);
    await clients().updateMany({ _id: unused.clientId }, { $set: { expires_at: new Date(Date.now() - 1) } });
    const gone = await unused.authorize();
    expect([gone.status, await gone.text()]).toEqual([400, expect.stringContaining('registration has expired')]);
  });

  test('an agent gets what this server supports, whatever else it asks for', async () => {
    const agent = oauth.agent();
    const response = await agent.register({
      ...{
        scope: 'openid read write',
        grant_types: ['authorization_code'],
        application_type: 'web',
        logo_uri: 'https://agent.example/logo.png',
      },
      ...{ client_name: 'Agent\u202e\u0000\n  name', something_new: true },
    });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([201, '*']);
    const body = await response.json();
    expect(body).toMatchObject({
      scope: 'mcp',
      grant_types: ['authorization_code', 'refresh_token'],
      client_name: 'Agent name',
      redirect_uris: [redirectUri],
    });
    expect(body).not.toHaveProperty('something_new');
    expect(body).not.toHaveProperty('registration_access_token');
  });

  test.each([
    ['more redirect URIs than 20', { redirect_uris: Array.from({ length: 21 }, (_, n) => `${redirectUri}/${n}`) }, 400],
    ['grant types without the code', { grant_types: ['client_credentials'] }, 400],
    ['an unknown way to authenticate', { token_endpoint_auth_method: 'tls_client_auth' }, 400],
    ['a body of more than 16 KB', { client_name: 'x'.repeat(17_000) }, 413],
  ])('a registration with %s is refused', async (_what, metadata, status) => {
    expect((await oauth.agent().register(metadata)).status).toBe(status);
  });
});

describe('authorization', () => {
  test('a registered agent gets tokens that act for the person in the organization, and refreshes them', async () => {
    const person = await newPerson('developer');
    const agent = oauth.agent();
    const registered = await agent.register();
    expect([registered.status, await registered.json()]).toEqual([
      201,
      expect.objectContaining({
        client_name: 'Test agent',
        redirect_uris: [redirectUri],
        scope: 'mcp',
        token_endpoint_auth_method: 'none',
      }),
    ]);
    const page = await agent.openPage({ scope: 'openid mcp offline_access' });
    expect(page.html).toContain('Sign in');
    const consent = await agent.signIn(page, person.email, person.password);
    expect(consent.html).toContain('agent.example');
    const callback = await agent.allow(consent);
    expect(callback.origin + callback.pathname).toBe(redirectUri);
    expect([callback.searchParams.get('state'), callback.searchParams.get('iss')]).toEqual(['the state', origin]);
    const tokens = await tokensOf(await agent.exchange(callback.searchParams.get('code') ?? ''));
    expect(tokens).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'mcp',
      access_token: expect.stringMatching(/^wko_\w{49}$/),
    });
    const { org_id, account_id } = person;
    const verdict = {
      valid: true,
      org_id,
      account_id,
      role: 'developer',
      resource: mcp,
      agent_name: 'Test agent',
      agent_id: agent.clientId,
    };
    expect(await introspect(tokens.access_token)).toMatchObject(verdict);
    const refreshed = await tokensOf(await agent.refresh(tokens.refresh_token));
    expect(refreshed.access_token).not.toBe(tokens.access_token);
    expect(await introspect(refreshed.access_token)).toMatchObject(verdict);
  });

  test('every step may be served by another replica, and restarts in between lose nothing', async () => {
    const person = await newPerson();
    const agent = oauth.agent(0);
    await agent.register();
    agent.port = oauth.port(1);
    const page = await agent.openPage();
    agent.port = oauth.port(0);
    const consent = await agent.signIn(page, person.email, person.password);
    agent.port = await oauth.restart(1);
    const submitted = await agent.submit(consent, { step: 'decide', decision: 'allow', membership: person.member_id });
    agent.port = await oauth.restart(0);
    const callback = await agent.follow(submitted);
    agent.port = oauth.port(1);
    const tokens = await tokensOf(await agent.exchange(callback.searchParams.get('code') ?? ''));
    agent.port = await oauth.restart(0);
    const refreshed = await tokensOf(await agent.refresh(tokens.refresh_token));
    expect(await introspect(refreshed.access_token)).toMatchObject({ valid: true, org_id: person.org_id });
  });

  test('tokens are for the MCP server unless the request names the API', async () => {
    const person = await newPerson();
    const agent = oauth.agent();
    const byDefault = await tokensOf(await agent.exchange(await agent.code(person.email, person.password, { resource: null })));
    expect((await introspect(byDefault.access_token)).resource).toBe(mcp);
    const forApi = await tokensOf(
      await agent.exchange(await agent.code(person.email, person.password, { resource: rest, prompt: 'consent' })),
    );
    expect((await introspect(forApi.access_token)).resource).toBe(rest);
  });

  test.each([
    ['with a slash at its end', `${mcp}/`, mcp],
    ['by the origin', origin, mcp],
    ['by the origin with a slash', `${origin}/`, mcp],
    ['with a host in capitals', mcp.replace(/\/\/[^/]+/, (host) => host.toUpperCase()), mcp],
    ['by another name of the machine', mcp.replace('localhost', '127.0.0.1'), mcp],
    ['by its IPv6 address', `${mcp.replace('localhost', '[::1]')}/`, mcp],
    ['of the REST API with a slash', `${rest}/`, rest],
  ])('a resource named %s is bound to one audience, through code, token and renewal', async (_spelling, resource, audience) => {
    const person = await newPerson();
    const agent = oauth.agent();
    const code = await agent.code(person.email, person.password, { resource });
    const tokens = await tokensOf(await agent.exchange(code, { resource }));
    expect((await introspect(tokens.access_token)).resource).toBe(audience);
    const renewed = await tokensOf(await agent.refresh(tokens.refresh_token, { resource }));
    expect((await introspect(renewed.access_token)).resource).toBe(audience);
  });
});

describe('pages', () => {
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
    expect([page, consent].map(({ html }) => html.match(/<script[^>]*>[^<]*/g))).toEqual([
      ['<script src="/oauth/passkey.js" defer>'],
      ['<script src="/oauth/reach.js" defer>'],
    ]);
    expect(
      [page, consent].map(({ response }) => /script-src ([^;]*)/.exec(response.headers.get('content-security-policy') ?? '')?.[1]),
    ).toEqual(["'self'", "'self'"]);
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

  test.each(['owner', 'developer', 'viewer'] as const)(
    'the page names to a person who is %s what the agent may do, and no more',
    async (role) => {
      const person = await newPerson(role);
      const agent = oauth.agent();
      await agent.register();
      const { html } = await agent.signIn(await agent.openPage(), person.email, person.password);
      const lines = [...html.matchAll(/<li>([^<]*)<\/li>/g)].map(([, line]) => line);
      const linesOf = (scope: string) => agentAbilitiesFor(role).flatMap((ability) => (ability.scope === scope ? ability.line : []));
      expect(lines).toEqual([...linesOf(baseScope), expect.stringContaining('until you disconnect it')]);
      const box = /name="scope" value="mcp" checked><span>(.*?)<\/span>/.exec(html)?.[1];
      expect(box?.split('<br>') ?? []).toEqual(linesOf('mcp'));
    },
  );

  const boxesIn = (html: string) => [...html.matchAll(/name="scope" value="([^"]+)" checked/g)].map(([, scope]) => scope);

  test('a person gives an agent a part of what it asks for, the narrowest first: its tokens are worth that, say so, and keep it', async () => {
    const { agent, person, consent } = await onConsent({ scope: 'openid mcp:publish mcp:build mcp' });
    expect(boxesIn(consent.html)).toEqual(['mcp', 'mcp:build', 'mcp:publish']);
    const callback = await agent.follow(await agent.submit(consent, decision(consent, person.member_id, ['mcp', 'mcp:publish'])));
    const first = await tokensOf(await agent.exchange(callback.searchParams.get('code') ?? ''));
    const refreshed = await tokensOf(await agent.refresh(first.refresh_token, { scope: 'mcp mcp:publish' }));
    for (const tokens of [first, refreshed]) {
      expect(tokens.scope).toBe('mcp:build');
      expect(await introspect(tokens.access_token)).toMatchObject({ valid: true, scopes: ['mcp:build'], agents_can_build: false });
    }
  });

  test('a person who leaves everything out, or is asked for no more, lets the agent read', async () => {
    for (const scope of ['mcp', 'mcp:read']) {
      const { agent, person, consent } = await onConsent({ scope });
      const callback = await agent.follow(await agent.submit(consent, decision(consent, person.member_id, ['mcp'])));
      const tokens = await tokensOf(await agent.exchange(callback.searchParams.get('code') ?? ''));
      expect([tokens.scope, (await introspect(tokens.access_token)).scopes]).toEqual(['mcp:read', ['mcp:read']]);
    }
  });

  test('nobody gives an agent more than it asks for, whatever a form says', async () => {
    const { agent, person, consent } = await onConsent();
    const form = [...decision(consent, person.member_id), ['scope', 'mcp:publish'] as [string, string]];
    const callback = await agent.follow(await agent.submit(consent, form));
    expect((await tokensOf(await agent.exchange(callback.searchParams.get('code') ?? ''))).scope).toBe('mcp');
  });

  test('an agent that asks for more than before is allowed it on the whole page, and for the same with one click', async () => {
    const { agent, consent } = await onConsent();
    await agent.allow(consent);
    const more = await agent.openPage({ scope: 'mcp mcp:build' });
    expect(boxesIn(more.html)).toEqual(['mcp', 'mcp:build']);
    await agent.allow(more);
    const same = await agent.openPage({ scope: 'mcp mcp:build' });
    expect(same.html).toContain('You continue as');
    const callback = await agent.allow(same);
    expect((await tokensOf(await agent.exchange(callback.searchParams.get('code') ?? ''))).scope).toBe('mcp mcp:build');
  });

  test('a person limits an agent to one project: its tokens say so, are nobody to a release that knows no such limit, and end beyond it', async () => {
    const { email, password, member_id } = await newPerson();
    const agent = oauth.agent();
    await agent.register();
    const [first, second] = [randomUUID(), randomUUID()];
    let page = await agent.signIn(await agent.openPage(), email, password);
    const membership = /name="membership" value="([^"]+)"/.exec(page.html)?.[1] ?? '';
    const choose = (project: string) => agent.submit(page, [...decision(page, membership), ['reach', 'project'], ['project', project]]);
    const unnamed = await choose('my project');
    expect([unnamed.status, await unnamed.text()]).toEqual([400, expect.stringContaining('Choose a project')]);
    const allowed = async (project: string) => {
      const code = (await agent.follow(await choose(project))).searchParams.get('code') ?? '';
      const tokens = await tokensOf(await agent.exchange(code));
      page = await agent.openPage({ prompt: 'consent' });
      return tokens;
    };
    const tokens = await allowed(`${origin}/projects/${first.toUpperCase()}?tab=files`);
    expect(await introspect(tokens.access_token)).toMatchObject({ valid: false, project_id: first, role: 'owner' });
    const [grant] = await mongoose.connection.collection('oauth_grants').find({ project_id: first }).toArray();
    expect([grant?.membership_id === member_id, grant?.limited_membership_id]).toEqual([false, member_id]);
    const { access_token } = await tokensOf(await agent.refresh(tokens.refresh_token));
    expect(await introspect(access_token)).toMatchObject({ project_id: first });
    const none = await agent.submit(page, [...decision(page, membership), ['reach', 'client'], ['client', 'all of them']]);
    expect(none.status).toBe(400);
    const next = await allowed(second);
    expect(await introspect(access_token)).toEqual(expect.not.objectContaining({ project_id: expect.anything() }));
    expect(await introspect(next.access_token)).toMatchObject({ project_id: second });
    // Nothing of it is one click away.
    expect((await agent.openPage()).html).toMatch(/value="project" checked/);
  });

  test('a person of a role that may nothing of a scope is not asked for it', async () => {
    const person = await newPerson('viewer');
    const agent = oauth.agent();
    await agent.register();
    const { html } = await agent.signIn(await agent.openPage({ scope: 'mcp mcp:forms mcp:webhooks' }), person.email, person.password);
    expect(boxesIn(html)).toEqual(['mcp:forms', 'mcp:webhooks']);
    expect(html).toContain('only what an owner has opened to agents');
    expect(html).not.toContain('Have events sent');
  });

  test("the address of a connection with tools of its own is the server's: a token is for the same resource", async () => {
    const { agent, consent } = await onConsent({ resource: `${mcp}?toolsets=sites&read_only=true` });
    const callback = await agent.allow(consent);
    const { access_token } = await tokensOf(await agent.exchange(callback.searchParams.get('code') ?? ''));
    expect((await introspect(access_token)).resource).toBe(mcp);
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
    expect(consent.html).not.toMatch(/name="membership"[^>]*checked/);
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
    // Nothing happens without a click: a link of somebody else may have opened the page.
    const page = await agent.openPage();
    expect([page.response.status, page.response.headers.get('location')]).toEqual([200, null]);
    expect(page.html).toContain(`<dt>You continue as</dt><dd>${person.email}</dd>`);
    expect(page.html).toContain('value="allow">Continue</button>');
    expect(page.html).toContain('<dd class="host">agent.example</dd>');
    expect(page.html).not.toContain('Allow');
    const denied = await agent.follow(await agent.submit(page, { step: 'decide', decision: 'deny' }));
    expect(denied.searchParams.get('error')).toBe('access_denied');
    const again = await agent.allow(await agent.openPage());
    expect([again.href.startsWith(redirectUri), again.searchParams.get('code')]).toEqual([true, expect.any(String)]);
    expect((await agent.openPage({ prompt: 'consent' })).html).toContain('Allow');
    const local = oauth.agent();
    const uri = 'http://localhost:7777/cb';
    await local.register({ redirect_uris: [uri] });
    await local.allow(await local.signIn(await local.openPage({ redirect_uri: uri }), person.email, person.password));
    expect((await local.openPage({ redirect_uri: uri })).html).toContain('Allow');
  });

  test('a consent is asked again in full once the agent has revoked its tokens', async () => {
    const person = await newPerson();
    const agent = oauth.agent();
    const { refresh_token } = await agent.connect(person.email, person.password);
    expect((await agent.openPage()).html).toContain('You continue as');
    expect((await agent.post('/oauth/revoke', { token: refresh_token, client_id: agent.clientId })).status).toBe(200);
    expect((await agent.openPage()).html).toContain('Allow');
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
});
