import mongoose from 'mongoose';
import { errorOf, redirectUri, tokensOf } from './testing/agent.ts';
import { usePublishedDocuments } from './testing/published-documents.ts';
import { introspect, newPerson, useOauth } from './testing/use-oauth.ts';

const published = usePublishedDocuments();
const oauth = useOauth(published.settings);

/** Publishes an agent's metadata document; returns the agent, whose id is the document's address. */
function publish(changes: object = {}) {
  const agent = oauth.agent();
  const { at, url } = published.newPlace();
  agent.clientId = url;
  const metadata = {
    client_id: agent.clientId,
    client_name: 'Document agent',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
  };
  published.documents.set(at, { ...metadata, ...changes });
  return { agent, at };
}

test('an agent that publishes its metadata connects without a registration; its proven host is shown', async () => {
  const person = await newPerson();
  const { agent } = publish();
  const page = await agent.openPage();
  // The other replica has not seen the document yet.
  agent.port = oauth.port(1);
  const consent = await agent.signIn(page, person.email, person.password);
  expect(consent.html).toContain(`It states its identity at</dt><dd>${published.host()}</dd>`);
  const tokens = await tokensOf(await agent.exchange((await agent.allow(consent)).searchParams.get('code') ?? ''));
  expect(await introspect(tokens.access_token)).toMatchObject({ valid: true, agent_id: agent.clientId, agent_name: 'Document agent' });
});

test('replicas share a fetched document, and a connected agent goes on while its own server is away', async () => {
  const person = await newPerson();
  const { agent, at } = publish();
  const tokens = await agent.connect(person.email, person.password);
  const before = published.requests();
  agent.port = await oauth.restart(1);
  const refreshed = await tokensOf(await agent.refresh(tokens.refresh_token));
  expect(published.requests()).toBe(before);
  published.documents.delete(at);
  await mongoose.connection.collection('oauth_documents').updateMany({}, { $set: { fetched_at: new Date(Date.now() - 2 * 3_600_000) } });
  agent.port = await oauth.restart(1);
  await tokensOf(await agent.refresh(refreshed.refresh_token));
  expect(published.requests()).toBe(before + 1);
});

test.each([
  ['names another id', { client_id: 'https://other.example/client.json' }],
  ['has a redirect over http', { redirect_uris: ['http://agent.example/cb'] }],
  ['has no redirect', { redirect_uris: [] }],
  ['states a secret', { client_secret: 'secret' }],
  ['is longer than 5 KB', { client_name: 'x'.repeat(5_200) }],
])('an agent whose document %s is refused, on a page of ours', async (_what, changes) => {
  const { agent } = publish(changes);
  const response = await agent.authorize();
  expect([response.status >= 400, response.headers.get('location')]).toEqual([true, null]);
});

test('a network has at most 20 documents fetched in 10 minutes', async () => {
  const { agent } = publish();
  for (let count = 0; count < 20; count++) {
    const other = publish().agent;
    other.network = agent.network;
    expect((await other.authorize()).headers.get('location')).toContain('/oauth/interaction/');
  }
  const before = published.requests();
  expect((await agent.authorize()).status).toBe(400);
  expect(published.requests()).toBe(before);
});

test('an address that is not public is not fetched', async () => {
  const agent = oauth.agent();
  agent.clientId = 'https://169.254.169.254/client.json';
  expect(
    (await errorOf(await agent.post('/oauth/token', { client_id: agent.clientId, grant_type: 'authorization_code', code: 'x' })))[0],
  ).toBe(400);
});
