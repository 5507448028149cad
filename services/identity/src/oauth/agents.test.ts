import { operations } from '@webkiln/contract';
import { callerFor } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { present, refusal, service } from '../testing/running-identity.ts';
import { tokensOf } from './testing/agent.ts';
import { introspect, newPerson, useOauth } from './testing/use-oauth.ts';

const oauth = useOauth();

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

test('no operation for people only can be called with a token', async () => {
  const { person } = await connected();
  const agent = 'Agent';
  const caller = { ...sessionOf(person), principal: { ...sessionOf(person).principal, kind: 'oauth_token' as const, agent } };
  const refused = Object.values(operations).filter(({ credential, rpc }) => credential === 'session' && rpc.startsWith('accounts.'));
  expect(refused.length).toBeGreaterThan(20);
  for (const { rpc } of refused) await expect(call(rpc as 'accounts.ListAgents', {}, caller)).rejects.toEqual(refusal('session_required'));
});
