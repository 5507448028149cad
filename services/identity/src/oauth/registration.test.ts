import mongoose from 'mongoose';
import { redirectUri } from './testing/agent.ts';
import { newPerson, useOauth } from './testing/use-oauth.ts';

const oauth = useOauth();
const clients = () => mongoose.connection.collection<{ _id: string; expires_at: Date }>('oauth_clients');
const days = async (_id: string) => Math.round((((await clients().findOne({ _id }))?.expires_at.getTime() ?? 0) - Date.now()) / 86_400_000);

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
