import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { operations } from '@webkiln/contract';
import { mailerFor } from '@webkiln/mail';
import { callerFor, platformLimits } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { ErasedAddresses } from '../accounts/erased-addresses.ts';
import { entriesAfter } from '../audit/audit-store.ts';
import { MailAdmission } from '../mails/mail-admission.ts';
import { onAccountAct } from '../reactions/on-account-act.ts';
import { onAudited } from '../reactions/on-audited.ts';
import { LosingConnection } from '../testing/losing-connection.ts';
import { authKeys, newMember, newOrganization, operator, present, refusal, service } from '../testing/running-identity.ts';
import { stolenDatabase } from '../testing/stolen-database.ts';
import { type Agent, errorOf, mcp, redirectUri, rest, tokensOf } from './testing/agent.ts';
import { origin } from './testing/browser.ts';
import { introspect, newPerson, useOauth } from './testing/use-oauth.ts';

describe('tokens', () => {
  const oauth = useOauth();

  describe('the life of tokens', () => {
    const isValid = async (token: string) => (await introspect(token)).valid;

    async function connected() {
      const person = await newPerson();
      const agent = oauth.agent();
      return { person, agent, tokens: await agent.connect(person.email, person.password) };
    }

    /** Changes the times of stored records, as if they had passed. */
    const collection = (name: string) => mongoose.connection.collection(name);
    const ago = (ms: number) => new Date(Date.now() - ms);

    test('an agent that lost the answer to its refresh repeats it and gets the same tokens, also at another replica', async () => {
      const { agent, tokens } = await connected();
      const first = await tokensOf(await agent.refresh(tokens.refresh_token));
      agent.port = oauth.port(1);
      const again = await tokensOf(await agent.refresh(tokens.refresh_token));
      expect([again.access_token, again.refresh_token]).toEqual([first.access_token, first.refresh_token]);
      expect(await isValid(again.access_token)).toBe(true);
      await tokensOf(await agent.refresh(again.refresh_token));
    });

    test('concurrent refreshes of one agent at two replicas get the same tokens', async () => {
      const { agent, tokens } = await connected();
      const ports = [0, 1, 0, 1].map((replica) => oauth.port(replica));
      const refreshed = await Promise.all(
        ports.map(async (port) => {
          agent.port = port;
          return tokensOf(await agent.refresh(tokens.refresh_token));
        }),
      );
      expect(new Set(refreshed.map(({ refresh_token }) => refresh_token)).size).toBe(1);
      await tokensOf(await agent.refresh(refreshed[0]?.refresh_token ?? ''));
    });

    test('a refresh token that is used later than a retry would be ends all tokens of its authorization', async () => {
      const { agent, tokens } = await connected();
      const next = await tokensOf(await agent.refresh(tokens.refresh_token));
      await collection('oauth_tokens').updateMany(
        { consumed_at: { $type: 'date' }, kind: 'refresh' },
        { $set: { consumed_at: ago(31_000) } },
      );
      expect(await errorOf(await agent.refresh(tokens.refresh_token))).toEqual([400, 'invalid_grant']);
      expect([await isValid(tokens.access_token), await isValid(next.access_token)]).toEqual([false, false]);
      expect(await errorOf(await agent.refresh(next.refresh_token))).toEqual([400, 'invalid_grant']);
    });

    test('a refresh token that is used after its successor was ends all tokens of its authorization at once', async () => {
      const { agent, tokens } = await connected();
      const next = await tokensOf(await agent.refresh(tokens.refresh_token));
      const last = await tokensOf(await agent.refresh(next.refresh_token));
      expect(await errorOf(await agent.refresh(tokens.refresh_token))).toEqual([400, 'invalid_grant']);
      expect(await isValid(last.access_token)).toBe(false);
    });

    test('the end of one authorization leaves another one of the same agent and person alone', async () => {
      const { agent, person, tokens } = await connected();
      const other = await tokensOf(await agent.exchange(await agent.code(person.email, person.password, { prompt: 'consent' })));
      await agent.post('/oauth/revoke', { token: tokens.refresh_token, client_id: agent.clientId });
      expect([await isValid(tokens.access_token), await isValid(other.access_token)]).toEqual([false, true]);
    });

    test.each(['access_token', 'refresh_token'] as const)(
      'revoking the %s ends the tokens of the authorization (RFC 7009)',
      async (which) => {
        const { agent, tokens } = await connected();
        const stranger = oauth.agent();
        await stranger.register();
        expect((await stranger.post('/oauth/revoke', { token: tokens[which], client_id: stranger.clientId })).status).toBe(200);
        expect(await isValid(tokens.access_token)).toBe(true);
        expect((await agent.post('/oauth/revoke', { token: tokens[which], client_id: agent.clientId })).status).toBe(200);
        expect(await isValid(tokens.access_token)).toBe(false);
        expect(await errorOf(await agent.refresh(tokens.refresh_token))).toEqual([400, 'invalid_grant']);
      },
    );

    test('an expired access token is invalid, an expired code or refresh token gives nothing', async () => {
      const { agent, person, tokens } = await connected();
      const code = await agent.code(person.email, person.password, { prompt: 'consent' });
      await collection('oauth_tokens').updateMany({}, [
        {
          $set: { expires_at: ago(60_000), payload: { $replaceOne: { input: '$payload', find: '"exp":', replacement: '"exp":1,"was":' } } },
        },
      ]);
      expect(await isValid(tokens.access_token)).toBe(false);
      expect(await errorOf(await agent.exchange(code))).toEqual([400, 'invalid_grant']);
      expect(await errorOf(await agent.refresh(tokens.refresh_token))).toEqual([400, 'invalid_grant']);
    });

    test('a token dies with the membership of its person, whose present role it has', async () => {
      const { person, agent, tokens } = await connected();
      const { org_id, member_id } = person;
      expect((await introspect(tokens.access_token)).role).toBe('owner');
      await collection('members').updateOne({ _id: member_id as never }, { $set: { role: 'viewer' } });
      expect((await introspect(tokens.access_token)).role).toBe('viewer');
      await call('identity.RemoveMember', { member_id, revoke_keys: false }, operator(org_id));
      expect(await isValid(tokens.access_token)).toBe(false);
      expect(await errorOf(await agent.refresh(tokens.refresh_token))).toEqual([400, 'invalid_grant']);
      expect(await collection('oauth_grants').countDocuments({ account_id: person.account_id, revoked_at: null })).toBe(0);
    });

    test('the removal of a member leaves its agents in other organizations alone', async () => {
      const { person, tokens } = await connected();
      const other = await newOrganization();
      await newMember(other, 'owner');
      const member_id = await newMember(other, 'owner', person.email);
      await call('identity.RemoveMember', { member_id, revoke_keys: false }, operator(other));
      expect(await isValid(tokens.access_token)).toBe(true);
    });

    test('a token dies when its account is locked or signed out everywhere', async () => {
      const [locked, ended] = [await connected(), await connected()];
      await call('identity.LockAccount', { email: locked.person.email }, operator());
      await call('identity.EndAccountSessions', { email: ended.person.email }, operator());
      expect([await isValid(locked.tokens.access_token), await isValid(ended.tokens.access_token)]).toEqual([false, false]);
      await call('identity.UnlockAccount', { email: locked.person.email }, operator());
      expect(await errorOf(await locked.agent.refresh(locked.tokens.refresh_token))).toEqual([400, 'invalid_grant']);
    });

    test('no agent that is allowed while its person is signed out everywhere gets access', async () => {
      const person = await newPerson();
      const first = oauth.agent();
      await first.register();
      await first.signIn(await first.openPage(), person.email, person.password);
      const agents = await Promise.all(
        Array.from({ length: 10 }, async (_, at) => {
          const agent = Object.assign(oauth.agent(at % 2), { clientId: first.clientId });
          for (const [name, value] of first.cookies) if (name.includes('session')) agent.cookies.set(name, value);
          return { agent, page: await agent.openPage() };
        }),
      );
      const form = { step: 'decide', decision: 'allow', membership: person.member_id };
      const [, ...decided] = await Promise.all([
        call('identity.EndAccountSessions', { email: person.email }, operator()),
        ...agents.map(({ agent, page }) => agent.submit(page, form)),
      ]);
      for (const [at, { agent }] of agents.entries()) {
        const response = present(decided[at]);
        const code = response.status === 303 ? ((await agent.follow(response)).searchParams.get('code') ?? '') : '';
        const exchanged = await agent.exchange(code);
        expect(exchanged.status === 200 && (await isValid((await tokensOf(exchanged)).access_token))).toBe(false);
      }
    });

    test('the database of an authorization server holds no token, code, secret or cookie key', async () => {
      const person = await newPerson();
      const agent = oauth.agent();
      const { client_secret } = (await (await agent.register({ token_endpoint_auth_method: 'client_secret_post' })).json()) as {
        client_secret: string;
      };
      const code = await agent.code(person.email, person.password);
      const tokens = await tokensOf(await agent.exchange(code, { client_secret }));
      const next = await tokensOf(await agent.refresh(tokens.refresh_token, { client_secret }));
      const stolen = await stolenDatabase();
      for (const secret of [client_secret, code, tokens.access_token, tokens.refresh_token, next.access_token, next.refresh_token]) {
        expect(secret.length).toBeGreaterThan(20);
        expect(stolen.includes(secret)).toBe(false);
      }
      expect(stolen.includes('"kty"')).toBe(false);
    });
  });

  describe('connected agents', () => {
    type Person = Awaited<ReturnType<typeof newPerson>>;
    const sessionOf = ({ account_id, org_id }: Person) =>
      callerFor(
        { kind: 'session', org_id, credential_id: 'a session', permissions: ['read'], account_id, role: 'owner' },
        { timeoutMs: 120_000 },
      );

    async function connected() {
      const person = await newPerson();
      const agent = oauth.agent();
      return { person, agent, tokens: await agent.connect(person.email, person.password) };
    }

    test('a person sees its agents with their last use, and disconnects one, which ends its tokens', async () => {
      const { person, agent, tokens } = await connected();
      const { agents, total } = await call('accounts.ListAgents', {}, sessionOf(person));
      expect(total).toBe(1);
      expect(agents).toEqual([
        {
          ...{ id: expect.any(String), client_name: 'Test agent', redirect_host: 'agent.example', organization_id: person.org_id },
          ...{ organization: 'Kiln', scopes: ['mcp'], created_at: expect.any(String), last_used_at: undefined },
        },
      ]);
      const agent_id = present(agents[0]).id;
      const last_used_at = new Date().toISOString();
      const { grant_id } = await introspect(tokens.access_token);
      await call('identity.RecordOauthUse', { uses: [{ grant_id, last_used_at }] }, service('gateway'));
      expect((await call('accounts.ListAgents', {}, sessionOf(person))).agents[0]?.last_used_at).toBe(last_used_at);

      const stranger = await newPerson();
      await expect(call('accounts.DisconnectAgent', { agent_id }, sessionOf(stranger))).rejects.toEqual(refusal('agent_not_found'));
      expect((await introspect(tokens.access_token)).valid).toBe(true);
      expect(await call('accounts.DisconnectAgent', { agent_id }, sessionOf(person))).toEqual({ deleted: true, id: agent_id });
      expect((await introspect(tokens.access_token)).valid).toBe(false);
      expect((await agent.refresh(tokens.refresh_token)).status).toBe(400);
      expect((await call('accounts.ListAgents', {}, sessionOf(person))).agents).toEqual([]);
      await expect(call('accounts.DisconnectAgent', { agent_id }, sessionOf(person))).rejects.toEqual(refusal('agent_not_found'));
    });

    test('an agent that was disconnected is asked for again, and is then listed once', async () => {
      const { person, agent } = await connected();
      const agent_id = present((await call('accounts.ListAgents', {}, sessionOf(person))).agents[0]).id;
      await call('accounts.DisconnectAgent', { agent_id }, sessionOf(person));
      const page = await agent.openPage();
      expect(page.html).toContain('Allow');
      const tokens = await tokensOf(await agent.exchange((await agent.allow(page)).searchParams.get('code') ?? ''));
      expect((await introspect(tokens.access_token)).valid).toBe(true);
      expect((await call('accounts.ListAgents', {}, sessionOf(person))).agents).toHaveLength(1);
    });

    test('no operation for people only, or of what manages the organization, can be called with a token', async () => {
      const { person } = await connected();
      const agent = 'Agent';
      const caller = { ...sessionOf(person), principal: { ...sessionOf(person).principal, kind: 'oauth_token' as const, agent } };
      const refused = Object.values(operations).filter(({ path, rpc }) => path.startsWith('/account') && rpc.startsWith('accounts.'));
      expect(refused.length).toBeGreaterThan(20);
      for (const { rpc, credential } of refused) {
        const code = credential === 'session' ? 'session_required' : 'oauth_token_refused';
        await expect(call(rpc as 'accounts.ListAgents', {}, caller)).rejects.toEqual(refusal(code));
      }
    });
  });

  describe('tokens that are used twice', () => {
    const recipients = { mails: { perHour: 3, perDay: 10 }, agreedForms: { perHour: 60, perDay: 300 } };
    const admission = new MailAdmission(authKeys, recipients, { ...platformLimits, QUOTA_MAILS_NEW: 20 });
    /** True for mails that were sent, by their ids. */
    const admitted = new Map<string, boolean>();
    let folder: string;

    beforeAll(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'webkiln-mails-'));
      const mailer = mailerFor({ MAIL_DIR: folder }, async ({ messageId: id, to, ...mail }) => {
        const isAdmitted = await admission.admit({ ...mail, id, recipient: to.address });
        if (to.address === flooded) admitted.set(id, isAdmitted);
        return isAdmitted;
      });
      onAudited(new ErasedAddresses(authKeys));
      onAccountAct({ mailer, from: { name: 'Webkiln', address: 'webkiln@example.com' }, origin });
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    /** The person whose mails a test counts. */
    let flooded = '';

    type Person = Awaited<ReturnType<typeof newPerson>>;

    async function connected(person: Person, name: string) {
      const agent = oauth.agent();
      await agent.register({ client_name: name });
      const code = await agent.code(person.email, person.password);
      return { agent, code, tokens: await tokensOf(await agent.exchange(code)) };
    }

    /** The agents in whose name a second use was audited, once there is at least one. */
    async function auditedAgents({ org_id }: Person): Promise<(string | null)[]> {
      let names: (string | null)[] = [];
      await until(async () => {
        const entries = await entriesAfter({ org_id }, 0, 100);
        names = entries.filter(({ action }) => action === 'agent.token_reused').map(({ target }) => target.name);
        return names.length > 0;
      });
      return names;
    }

    test('a second use of a refresh token is audited once, however often it is repeated; a retry and a revocation are not', async () => {
      const person = await newPerson();
      const [retried, revoked, copied] = [
        await connected(person, 'Retried'),
        await connected(person, 'Revoked'),
        await connected(person, 'Copied'),
      ];
      for (const _ of [1, 2]) await tokensOf(await retried.agent.refresh(retried.tokens.refresh_token));
      await revoked.agent.post('/oauth/revoke', { token: revoked.tokens.refresh_token, client_id: revoked.agent.clientId });
      expect(await errorOf(await revoked.agent.refresh(revoked.tokens.refresh_token))).toEqual([400, 'invalid_grant']);
      const { refresh_token } = await tokensOf(await copied.agent.refresh(copied.tokens.refresh_token));
      await tokensOf(await copied.agent.refresh(refresh_token));
      for (const _ of [1, 2])
        expect(await errorOf(await copied.agent.refresh(copied.tokens.refresh_token))).toEqual([400, 'invalid_grant']);
      expect(await auditedAgents(person)).toEqual(['Copied']);
    });

    test('a second use of a code is audited, and one by another client is none', async () => {
      const person = await newPerson();
      const { agent, code, tokens } = await connected(person, 'Copied');
      const stranger = oauth.agent();
      await stranger.register();
      expect(await errorOf(await stranger.exchange(code, { code_verifier: agent.verifier }))).toEqual([400, 'invalid_grant']);
      await tokensOf(await agent.refresh(tokens.refresh_token));
      expect(await errorOf(await agent.exchange(code))).toEqual([400, 'invalid_grant']);
      expect(await auditedAgents(person)).toEqual(['Copied']);
    });

    test('a person gets at most 3 mails an hour about it, and those use up none of the notices that only the person can cause', async () => {
      const person = await newPerson();
      flooded = person.email;
      for (const name of ['One', 'Two', 'Three', 'Four']) {
        const { agent, code } = await connected(person, name);
        expect(await errorOf(await agent.exchange(code))).toEqual([400, 'invalid_grant']);
      }
      await until(async () => admitted.size === 4);
      expect([...admitted.values()].filter((isAdmitted) => isAdmitted)).toHaveLength(3);
      const notice = { id: 'a notice', org_id: '', recipient: person.email, purpose: 'notice', isRecipients: true };
      expect(await admission.admit(notice)).toBe(true);
    });
  });
});

describe('refusals', () => {
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
});

describe('unused clients', () => {
  const max = 3;
  const oauth = useOauth(() => ({ MAX_UNUSED_CLIENTS: String(max) }));
  const clients = () => mongoose.connection.collection<{ _id: string }>('oauth_clients');

  beforeEach(async () => void (await clients().deleteMany({})));

  /** Registers an agent from a network of its own. */
  async function registered(replica = 0): Promise<Agent> {
    const agent = oauth.agent(replica);
    expect((await agent.register()).status).toBe(201);
    return agent;
  }

  /** An agent whose consent page was open so long ago that it does not matter. */
  async function connectedLongAgo() {
    const [person, agent] = [await newPerson(), await registered()];
    const tokens = await agent.connect(person.email, person.password);
    await clients().updateOne({ _id: agent.clientId }, { $set: { deciding_until: new Date(0) } });
    return { agent, tokens };
  }

  /** Registers agents in different milliseconds, by which the older one is known. */
  async function inOrder(count: number): Promise<string[]> {
    const ids = [];
    for (let made = 0; made < count; made++) {
      await nextMillisecond();
      ids.push((await registered(made % 2)).clientId);
    }
    return ids;
  }

  async function nextMillisecond(): Promise<void> {
    const now = Date.now();
    while (Date.now() <= now) await nextTick();
  }

  const stored = async () => new Set((await clients().find({}).toArray()).map(({ _id }) => _id));

  test('beyond the bound the oldest unused registration is deleted, over all networks and replicas; a connected one never', async () => {
    const unused = await registered();
    const { agent: connected, tokens } = await connectedLongAgo();
    const others = await inOrder(max);
    expect(await stored()).toEqual(new Set([connected.clientId, ...others]));
    expect(await (await unused.authorize()).text()).toContain('registration has expired');
    const newer = await inOrder(max);
    expect(await stored()).toEqual(new Set([connected.clientId, ...newer]));
    await tokensOf(await connected.refresh(tokens.refresh_token));
  });

  test('an agent whose person is deciding on the consent page is spared', async () => {
    const [person, agent] = [await newPerson(), await registered()];
    const consent = await agent.signIn(await agent.openPage(), person.email, person.password);
    const others = await inOrder(max + 2);
    expect(await stored()).toEqual(new Set([agent.clientId, ...others.slice(2)]));
    await tokensOf(await agent.exchange((await agent.allow(consent)).searchParams.get('code') ?? ''));
  });

  test('a flood from many networks at two replicas leaves as many unused registrations as the bound, and harms no connected agent', async () => {
    const { agent: connected, tokens } = await connectedLongAgo();
    const flood = await Promise.all(Array.from({ length: 120 }, (_, count) => registered(count % 2)));
    const left = await stored();
    expect([left.size, left.has(connected.clientId)]).toEqual([max + 1, true]);
    expect(flood.filter(({ clientId }) => left.has(clientId))).toHaveLength(max);
    await tokensOf(await connected.refresh(tokens.refresh_token));
  });
});

describe('lost database', () => {
  let database: LosingConnection;
  beforeAll(async () => {
    database = await LosingConnection.toMongodb();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  const oauth = useOauth(() => ({ MONGODB_URL: database.url }));

  test.each([
    ['find', 'oauth_tokens'],
    ['find', 'oauth_grants'],
    ['find', 'accounts'],
    ['update', 'oauth_tokens'],
    ['insert', 'oauth_tokens'],
  ])('a refresh whose database is lost at its %s of %s gets 503, and succeeds when repeated', async (command, collection) => {
    const person = await newPerson();
    const agent = oauth.agent();
    const tokens = await agent.connect(person.email, person.password);
    const lost = await database.losing(command, collection, () => agent.refresh(tokens.refresh_token));
    expect([lost.status, lost.headers.get('retry-after'), ((await lost.json()) as { error: string }).error]).toEqual([
      503,
      '2',
      'temporarily_unavailable',
    ]);
    const refreshed = await tokensOf(await agent.refresh(tokens.refresh_token));
    expect((await introspect(refreshed.access_token)).valid).toBe(true);
  });

  test('a person whose agent cannot be looked up gets a page with 503 and Retry-After, and goes on when it is repeated', async () => {
    const agent = oauth.agent();
    await agent.register();
    const lost = await database.losing('find', 'oauth_clients', () => agent.authorize());
    expect([lost.status, lost.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await agent.authorize()).status).toBe(303);
  });
});
