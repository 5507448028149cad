import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
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
import { authKeys, newMember, newOrganization, operator, present, refusal, service } from '../testing/running-identity.ts';
import { stolenDatabase } from '../testing/stolen-database.ts';
import { errorOf, tokensOf } from './testing/agent.ts';
import { origin } from './testing/browser.ts';
import { introspect, newPerson, useOauth } from './testing/use-oauth.ts';

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
      { $set: { expires_at: ago(60_000), payload: { $replaceOne: { input: '$payload', find: '"exp":', replacement: '"exp":1,"was":' } } } },
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
    for (const _ of [1, 2]) expect(await errorOf(await copied.agent.refresh(copied.tokens.refresh_token))).toEqual([400, 'invalid_grant']);
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
