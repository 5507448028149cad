import { call } from '@webkiln/rpc';
import mongoose from 'mongoose';
import { operator } from '../testing/running-identity.ts';
import { stolenDatabase } from '../testing/stolen-database.ts';
import { errorOf, tokensOf } from './testing/agent.ts';
import { introspect, newPerson, useOauth } from './testing/use-oauth.ts';

const oauth = useOauth();

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
  await collection('oauth_tokens').updateMany({ consumed_at: { $type: 'date' }, kind: 'refresh' }, { $set: { consumed_at: ago(31_000) } });
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

test.each(['access_token', 'refresh_token'] as const)('revoking the %s ends the tokens of the authorization (RFC 7009)', async (which) => {
  const { agent, tokens } = await connected();
  const stranger = oauth.agent();
  await stranger.register();
  expect((await stranger.post('/oauth/revoke', { token: tokens[which], client_id: stranger.clientId })).status).toBe(200);
  expect(await isValid(tokens.access_token)).toBe(true);
  expect((await agent.post('/oauth/revoke', { token: tokens[which], client_id: agent.clientId })).status).toBe(200);
  expect(await isValid(tokens.access_token)).toBe(false);
  expect(await errorOf(await agent.refresh(tokens.refresh_token))).toEqual([400, 'invalid_grant']);
});

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
  const { person, tokens } = await connected();
  const { org_id, member_id } = person;
  expect((await introspect(tokens.access_token)).role).toBe('owner');
  await collection('members').updateOne({ _id: member_id as never }, { $set: { role: 'viewer' } });
  expect((await introspect(tokens.access_token)).role).toBe('viewer');
  await call('identity.RemoveMember', { member_id, revoke_keys: false }, operator(org_id));
  expect(await isValid(tokens.access_token)).toBe(false);
});

test('a token dies when its account is locked or signed out everywhere', async () => {
  const [locked, ended] = [await connected(), await connected()];
  await call('identity.LockAccount', { email: locked.person.email }, operator());
  await call('identity.EndAccountSessions', { email: ended.person.email }, operator());
  expect([await isValid(locked.tokens.access_token), await isValid(ended.tokens.access_token)]).toEqual([false, false]);
  await call('identity.UnlockAccount', { email: locked.person.email }, operator());
  expect(await errorOf(await locked.agent.refresh(locked.tokens.refresh_token))).toEqual([400, 'invalid_grant']);
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
