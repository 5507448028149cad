import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import mongoose from 'mongoose';
import { generate } from 'selfsigned';
import { errorOf, redirectUri, tokensOf } from './testing/agent.ts';
import { introspect, newPerson, useOauth } from './testing/use-oauth.ts';

/** The documents of the agents' own server by their path; a missing one answers 404. */
const documents = new Map<string, object>();
let server: Server;
let requests = 0;
let settings: Record<string, string>;

beforeAll(async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'webkiln-certificate-')), 'cert.pem');
  writeFileSync(file, cert);
  server = createServer({ key, cert }, ({ url = '' }, response) => {
    requests += 1;
    const document = documents.get(url);
    if (document === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  settings = { NODE_EXTRA_CA_CERTS: file, OUTBOUND_PORT: String((server.address() as AddressInfo).port) };
});
afterAll(() => void server.close());

const oauth = useOauth(() => settings);

/** Publishes an agent's metadata document; returns the agent, whose id is the document's address. */
function publish(changes: object = {}) {
  const agent = oauth.agent();
  const at = `/${crypto.randomUUID()}.json`;
  agent.clientId = `https://127.0.0.1:${settings.OUTBOUND_PORT}${at}`;
  const metadata = {
    client_id: agent.clientId,
    client_name: 'Document agent',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
  };
  documents.set(at, { ...metadata, ...changes });
  return { agent, at };
}

test('an agent that publishes its metadata connects without a registration; its proven host is shown', async () => {
  const person = await newPerson();
  const { agent } = publish();
  const page = await agent.openPage();
  // The other replica has not seen the document yet.
  agent.port = oauth.port(1);
  const consent = await agent.signIn(page, person.email, person.password);
  expect(consent.html).toContain(`It states its identity at</dt><dd>127.0.0.1:${settings.OUTBOUND_PORT}</dd>`);
  const tokens = await tokensOf(await agent.exchange((await agent.allow(consent)).searchParams.get('code') ?? ''));
  expect(await introspect(tokens.access_token)).toMatchObject({ valid: true, agent_id: agent.clientId, agent_name: 'Document agent' });
});

test('replicas share a fetched document, and a connected agent goes on while its own server is away', async () => {
  const person = await newPerson();
  const { agent, at } = publish();
  const tokens = await agent.connect(person.email, person.password);
  const before = requests;
  agent.port = await oauth.restart(1);
  const refreshed = await tokensOf(await agent.refresh(tokens.refresh_token));
  expect(requests).toBe(before);
  documents.delete(at);
  await mongoose.connection.collection('oauth_documents').updateMany({}, { $set: { fetched_at: new Date(Date.now() - 2 * 3_600_000) } });
  agent.port = await oauth.restart(1);
  await tokensOf(await agent.refresh(refreshed.refresh_token));
  expect(requests).toBe(before + 1);
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
  const before = requests;
  expect((await agent.authorize()).status).toBe(400);
  expect(requests).toBe(before);
});

test('an address that is not public is not fetched', async () => {
  const agent = oauth.agent();
  agent.clientId = 'https://169.254.169.254/client.json';
  expect(
    (await errorOf(await agent.post('/oauth/token', { client_id: agent.clientId, grant_type: 'authorization_code', code: 'x' })))[0],
  ).toBe(400);
});
