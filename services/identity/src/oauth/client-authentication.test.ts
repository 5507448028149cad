import mongoose from 'mongoose';
import { type Agent, errorOf, redirectUri, tokensOf } from './testing/agent.ts';
import { origin } from './testing/browser.ts';
import { ClientKey } from './testing/client-key.ts';
import { usePublishedDocuments } from './testing/published-documents.ts';
import { introspect, newPerson, useOauth } from './testing/use-oauth.ts';

describe('client authentication', () => {
  const published = usePublishedDocuments();
  const oauth = useOauth(published.settings);

  describe('client documents', () => {
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
      await mongoose.connection
        .collection('oauth_documents')
        .updateMany({}, { $set: { fetched_at: new Date(Date.now() - 2 * 3_600_000) } });
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
  });

  describe('private_key_jwt', () => {
    const method = { token_endpoint_auth_method: 'private_key_jwt' };
    const keysOf = (...keys: ClientKey[]) => ({ keys: keys.map(({ publicKey }) => publicKey) });

    let person: Awaited<ReturnType<typeof newPerson>>;
    beforeAll(async () => {
      person = await newPerson();
    });

    /** Connects an agent that signs with the key. */
    async function connect(agent: Agent, key: ClientKey) {
      const code = await agent.code(person.email, person.password);
      return tokensOf(await agent.exchange(code, key.proof(agent.clientId)));
    }

    async function connected(key = new ClientKey()) {
      const agent = oauth.agent();
      expect((await agent.register({ ...method, jwks: keysOf(key) })).status).toBe(201);
      return { key, agent, tokens: await connect(agent, key) };
    }

    /** An agent whose keys are published at an address. */
    async function withAddress(key: ClientKey) {
      const agent = oauth.agent();
      const { at, url } = published.newPlace();
      published.documents.set(at, keysOf(key));
      expect((await agent.register({ ...method, jwks_uri: url })).status).toBe(201);
      return { agent, at };
    }

    const passed = (ms: number) =>
      mongoose.connection.collection('oauth_documents').updateMany({}, { $set: { fetched_at: new Date(Date.now() - ms) } });

    test.each(['ES256', 'RS256', 'EdDSA'] as const)(
      'an agent that registered a key gets, refreshes and revokes tokens by signing: %s',
      async (alg) => {
        const { agent, key, tokens } = await connected(new ClientKey(alg));
        const refreshed = await tokensOf(await agent.refresh(tokens.refresh_token, key.proof(agent.clientId)));
        expect((await introspect(refreshed.access_token)).valid).toBe(true);
        expect((await agent.post('/oauth/revoke', { token: refreshed.access_token, ...key.proof(agent.clientId) })).status).toBe(200);
        expect((await introspect(refreshed.access_token)).valid).toBe(false);
      },
    );

    test('an assertion may be for the issuer or the token endpoint, alone or in a list', async () => {
      const { agent, key, tokens } = await connected();
      let { refresh_token } = tokens;
      for (const aud of [origin, `${origin}/oauth/token`, [origin], ['https://other.example', `${origin}/oauth/token`]]) {
        ({ refresh_token } = await tokensOf(await agent.refresh(refresh_token, key.proof(agent.clientId, { aud }))));
      }
    });

    const soon = () => Math.floor(Date.now() / 1000) + 300;

    test.each<[string, (key: ClientKey, id: string) => Record<string, string>]>([
      ['no assertion', () => ({})],
      ['the assertion of another key', (_key, id) => new ClientKey().proof(id)],
      ['an expired assertion', (key, id) => key.proof(id, { exp: soon() - 600 })],
      ['an assertion that does not expire', (key, id) => key.proof(id, { exp: undefined })],
      ['an assertion that expires in more than an hour', (key, id) => key.proof(id, { exp: soon() + 7200 })],
      ['an assertion for another server', (key, id) => key.proof(id, { aud: 'https://other.example' })],
      ['an assertion for an address that only looks like ours', (key, id) => key.proof(id, { aud: `${origin}/` })],
      ['an assertion for nobody', (key, id) => key.proof(id, { aud: undefined })],
      ['an assertion without an id', (key, id) => key.proof(id, { jti: undefined })],
      ['an assertion of another issuer', (key, id) => key.proof(id, { iss: 'another' })],
      ['an assertion that is not valid yet', (key, id) => key.proof(id, { nbf: soon() })],
      ['an unsigned assertion', (key, id) => key.proof(id, {}, 'none')],
      ['an assertion signed with the public key as a shared secret', (key, id) => key.proof(id, {}, 'HS256')],
    ])('%s gives no token, and the refresh token stays good', async (_what, proof) => {
      const { agent, key, tokens } = await connected();
      expect(await errorOf(await agent.refresh(tokens.refresh_token, proof(key, agent.clientId)))).toEqual([401, 'invalid_client']);
      await tokensOf(await agent.refresh(tokens.refresh_token, key.proof(agent.clientId)));
    });

    test('an assertion is used once, also at two replicas at once', async () => {
      const { agent, key, tokens } = await connected();
      const proof = key.proof(agent.clientId);
      const uses = [0, 1, 0, 1].map((replica) =>
        Object.assign(oauth.agent(replica), { clientId: agent.clientId }).refresh(tokens.refresh_token, proof),
      );
      const statuses = (await Promise.all(uses)).map(({ status }) => status).sort();
      expect(statuses).toEqual([200, 401, 401, 401]);
      expect(await errorOf(await agent.refresh(tokens.refresh_token, proof))).toEqual([401, 'invalid_client']);
    });

    test('after 20 wrong assertions the next one gets 429, and a right one still works', async () => {
      const { agent, key, tokens } = await connected();
      const stranger = new ClientKey();
      const wrong = () => agent.refresh(tokens.refresh_token, stranger.proof(agent.clientId));
      for (let tries = 0; tries < 20; tries++) expect(await errorOf(await wrong())).toEqual([401, 'invalid_client']);
      const refused = await wrong();
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
      await tokensOf(await agent.refresh(tokens.refresh_token, key.proof(agent.clientId)));
    });

    test('an agent may publish its key in its metadata document, and needs no registration', async () => {
      const key = new ClientKey();
      const agent = oauth.agent();
      const { at, url } = published.newPlace();
      agent.clientId = url;
      published.documents.set(at, { client_id: url, client_name: 'Agent', redirect_uris: [redirectUri], ...method, jwks: keysOf(key) });
      const { refresh_token } = await connect(agent, key);
      expect(await errorOf(await agent.refresh(refresh_token))).toEqual([401, 'invalid_client']);
      await tokensOf(await agent.refresh(refresh_token, key.proof(url)));
    });

    test('keys at an address are fetched once for all replicas, and again after 5 minutes; then a removed one is refused', async () => {
      const [old, fresh] = [new ClientKey(), new ClientKey()];
      const { agent, at } = await withAddress(old);
      const tokens = await connect(agent, old);
      const before = published.requests();
      agent.port = oauth.port(1);
      const next = await tokensOf(await agent.refresh(tokens.refresh_token, old.proof(agent.clientId)));
      expect(published.requests()).toBe(before);
      published.documents.set(at, keysOf(fresh));
      await passed(6 * 60_000);
      // A process keeps the keys of a client for a minute.
      agent.port = await oauth.restart(1);
      const last = await tokensOf(await agent.refresh(next.refresh_token, fresh.proof(agent.clientId)));
      expect(await errorOf(await agent.refresh(last.refresh_token, old.proof(agent.clientId)))).toEqual([401, 'invalid_client']);
      published.documents.delete(at);
      await passed(3600_000);
      agent.port = await oauth.restart(1);
      await tokensOf(await agent.refresh(last.refresh_token, fresh.proof(agent.clientId)));
    });

    test.each([
      ['are at an address that is not public', 'https://169.254.169.254/keys'],
      ['are longer than 16 KB', undefined],
    ])('keys that %s are not used', async (_what, jwks_uri) => {
      const key = new ClientKey();
      const agent = oauth.agent();
      const { at, url } = published.newPlace();
      published.documents.set(at, { ...keysOf(key), more: 'x'.repeat(17_000) });
      expect((await agent.register({ ...method, jwks_uri: jwks_uri ?? url })).status).toBe(201);
      const code = await agent.code(person.email, person.password);
      expect(await errorOf(await agent.exchange(code, key.proof(agent.clientId)))).toEqual([401, 'invalid_client']);
    });

    test.each<[string, object]>([
      ['no key', {}],
      ['a private key', { jwks: { keys: [new ClientKey().privateKey] } }],
      ['a shared secret as its key', { jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }],
      ['eleven keys', { jwks: { keys: Array(11).fill(new ClientKey().publicKey) } }],
      ['keys over http', { jwks_uri: 'http://agent.example/keys' }],
      ['a shared-secret algorithm', { jwks: keysOf(new ClientKey()), token_endpoint_auth_signing_alg: 'HS256' }],
      ['no signature', { jwks: keysOf(new ClientKey()), token_endpoint_auth_signing_alg: 'none' }],
    ])('an agent cannot register to sign with %s', async (_what, metadata) => {
      expect(await errorOf(await oauth.agent().register({ ...method, ...metadata }))).toEqual([400, 'invalid_client_metadata']);
    });
  });
});

describe('secret rotation', () => {
  const [old, fresh] = [`old:${'a'.repeat(32)}`, `fresh:${'b'.repeat(32)}`];
  let listed = `${old},${fresh}`;
  const oauth = useOauth(() => ({ AUTH_SECRET: listed }));

  test('a refresh is repeated at a replica with another first secret, and a repeat after either answer was used ends the authorization', async () => {
    const person = await newPerson();
    const agent = oauth.agent();
    const { refresh_token } = await agent.connect(person.email, person.password);
    const first = await tokensOf(await agent.refresh(refresh_token));
    listed = `${fresh},${old}`;
    agent.port = await oauth.restart(1);
    // A retry is one of the last 30 s, however long the restart took.
    const used = { kind: 'refresh', consumed_at: { $type: 'date' } };
    await mongoose.connection.collection('oauth_tokens').updateMany(used, { $set: { consumed_at: new Date() } });
    const again = await tokensOf(await agent.refresh(refresh_token));
    const next = await tokensOf(await agent.refresh(first.refresh_token));
    expect(await errorOf(await agent.refresh(refresh_token))).toEqual([400, 'invalid_grant']);
    for (const ended of [again, next]) expect(await errorOf(await agent.refresh(ended.refresh_token))).toEqual([400, 'invalid_grant']);
  });
});
