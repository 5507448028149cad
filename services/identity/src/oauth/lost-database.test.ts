import { LosingConnection } from '../testing/losing-connection.ts';
import { tokensOf } from './testing/agent.ts';
import { introspect, newPerson, useOauth } from './testing/use-oauth.ts';

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
