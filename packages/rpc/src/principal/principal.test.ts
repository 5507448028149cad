import { createPrivateKey } from 'node:crypto';
import type { Caller } from '@webkiln/messages';
import { SignJWT } from 'jose';
import { call } from '../client/peers.ts';
import { callerOf, connectTo, keys, service, startReplica, transports, trustingVerifier } from '../testing/loopback.ts';
import { type Credentials, createVerifier, generateSigningKey, Signer } from './principal.ts';

const { principal } = callerOf();
const runs = { 'projects.GetProject': async () => ({ etag: 'served' }) };
const ask = () => call('projects.GetProject', { project_id: 'p' }, callerOf());

const privateKey = (base64: string) => createPrivateKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'pkcs8' });
const signed = (claims: { issuer?: string; audience?: string; expires?: string; key?: string; claims?: object }) =>
  new SignJWT({ ...(claims.claims ?? { principal }) })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer(claims.issuer ?? 'test')
    .setAudience(claims.audience ?? service)
    .setIssuedAt()
    .setExpirationTime(claims.expires ?? '60 s')
    .sign(privateKey(claims.key ?? keys.privateKey));

const refused = { code: 'internal', cause: { message: expect.stringContaining('UNAUTHENTICATED') } };

describe.each(transports)('a call (%s)', (transport) => {
  test('is served for a principal of an issuer that the service trusts', async () => {
    await using replica = await startReplica(runs);
    await using _peers = connectTo(transport, [replica.port]);
    expect(await ask()).toMatchObject({ etag: 'served' });
  });

  test.each([
    ['of an unknown issuer', { issuer: 'stranger' }],
    ['signed with a foreign key', { signingKey: generateSigningKey().privateKey }],
  ])('is refused with a principal %s', async (_which, options) => {
    await using replica = await startReplica(runs);
    await using _peers = connectTo(transport, [replica.port], options);
    await expect(ask()).rejects.toMatchObject(refused);
  });
});

/** Replaces the credentials that this process presents. */
const showing = (shown: Partial<Credentials>) => {
  const own = new Signer('test', keys.privateKey).for(service);
  jest.spyOn(Signer.prototype, 'for').mockReturnValue({ ...own, ...shown });
};

test.each([
  ['no principal', async () => ''],
  ['a principal that is no token', async () => 'wk_something'],
  ['a principal that is not signed', async () => `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ iss: 'test', principal }))}.`],
  ['a principal meant for another service', () => signed({ audience: 'identity' })],
  ['a principal that is expired', () => signed({ expires: '-1 s' })],
  [
    'a principal that was changed',
    async () => (await signed({})).replace(/\.[^.]+\./, `.${btoa(JSON.stringify({ iss: 'test', aud: service, exp: 9e9, principal }))}.`),
  ],
])('a unary call is refused with %s', async (_which, forge) => {
  const token = await forge();
  await using replica = await startReplica(runs);
  showing({ token: () => token });
  await using _peers = connectTo('unary', [replica.port]);
  await expect(ask()).rejects.toMatchObject(refused);
});

const own = (nonce: string) => ({ nonce });

test.each([
  ['without a proof', async () => ''],
  ['with a proof that is no token', async () => 'wk_something'],
  [
    'with a proof that is not signed',
    async (nonce: string) => `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ iss: 'test', nonce }))}.`,
  ],
  ['with a proof meant for another service', (nonce: string) => signed({ audience: 'identity', claims: own(nonce) })],
  ['with a proof that is expired', (nonce: string) => signed({ expires: '-1 s', claims: own(nonce) })],
  ['with the proof of another stream', () => signed({ claims: own('heard on the way') })],
  ['with a principal instead of a proof', () => signed({})],
])('calls on a stream that was opened %s are refused', async (_which, proof) => {
  await using replica = await startReplica(runs);
  showing({ proof });
  await using _peers = connectTo('carried', [replica.port]);
  await expect(ask()).rejects.toMatchObject(refused);
});

describe.each(transports)('mcp (%s)', (transport) => {
  const [gateway, mcp] = [generateSigningKey(), generateSigningKey()];
  const verifier = createVerifier({ service, trustedKeys: { gateway: gateway.publicKey, mcp: mcp.publicKey } });
  const asks = { 'projects.GetProject': async (_request: unknown, caller: Caller) => ({ etag: caller.principal.org_id }) };
  const delegation = (claims: object = { principal, via: 'mcp' }, more: Parameters<typeof signed>[0] = {}) =>
    signed({ issuer: 'gateway', key: gateway.privateKey, claims, ...more });
  const askAsMcp = async (caller: Partial<Caller>) => {
    await using replica = await startReplica(asks, { verifier });
    await using _peers = connectTo(transport, [replica.port], { issuer: 'mcp', signingKey: mcp.privateKey });
    return await call('projects.GetProject', { project_id: 'p' }, callerOf(caller));
  };

  test('is served as the principal that the gateway has signed for it, whatever it states itself', async () => {
    const signer = new Signer('gateway', gateway.privateKey);
    const forwarded = { delegation: await signer.delegation(principal, 'mcp') };
    expect(await askAsMcp(forwarded)).toMatchObject({ etag: principal.org_id });
    const other = { ...principal, org_id: 'of its choice' };
    expect(await askAsMcp({ ...forwarded, principal: other })).toMatchObject({ etag: principal.org_id });
  });

  test.each(['api_key', 'oauth_token', 'session', 'operator'] as const)(
    'is refused a principal of the kind %s with its own key',
    async (kind) => {
      await expect(askAsMcp({ principal: { ...principal, kind } })).rejects.toMatchObject(refused);
    },
  );

  test.each([
    ['that it has signed itself', () => delegation(undefined, { issuer: 'mcp', key: mcp.privateKey })],
    ['that it has signed in the name of the gateway', () => delegation(undefined, { key: mcp.privateKey })],
    ['for another service', () => delegation(undefined, { audience: 'webhooks' })],
    ['that another process may forward', () => delegation({ principal, via: 'sites' })],
    ['that nobody may forward: a principal of the gateway itself', () => delegation({ principal })],
    ['that is expired', () => delegation(undefined, { expires: '-1 s' })],
  ])('is refused with a delegation %s', async (_which, forge) => {
    await expect(askAsMcp({ delegation: await forge() })).rejects.toMatchObject(refused);
  });
});

test('a delegation is no principal by itself', async () => {
  const gateway = generateSigningKey();
  const verifier = createVerifier({ service, trustedKeys: { gateway: gateway.publicKey } });
  const token = await new Signer('gateway', gateway.privateKey).delegation(principal, 'mcp');
  await expect(verifier.verify(token)).rejects.toThrow('forwarded by mcp alone');
});

const everythingButDate = ['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout'] as const;

afterEach(() => jest.restoreAllMocks());

test('a credential is signed and verified once while it is in use, separately from any other', async () => {
  const signer = new Signer('test', keys.privateKey);
  const { token: tokenOf } = signer.for(service);
  const verifier = trustingVerifier(service, keys.publicKey);
  const token = await tokenOf(principal);
  expect(tokenOf({ ...principal })).toBe(token);
  const ofOne = { project_id: 'other' };
  for (const other of [{ org_id: 'other' }, { credential_id: 'other' }, { permissions: [] }, ofOne, { kind: 'operator' as const }]) {
    expect(await tokenOf({ ...principal, ...other })).not.toBe(token);
  }
  expect(await signer.for('identity').token(principal)).not.toBe(token);
  expect(verifier.verify(token)).toBeInstanceOf(Promise);
  await verifier.verify(token);
  expect(verifier.verify(token)).toEqual(principal);
});

test('a token is renewed before it expires, and rejected after it has expired', async () => {
  const { token: tokenOf } = new Signer('test', keys.privateKey).for(service);
  const verifier = trustingVerifier(service, keys.publicKey);
  const token = await tokenOf(principal);
  await verifier.verify(token);
  const now = Date.now();
  jest.useFakeTimers({ now: now + 46_000, doNotFake: [...everythingButDate] });
  expect(await tokenOf(principal)).not.toBe(token);
  jest.setSystemTime(now + 61_000);
  await expect(verifier.verify(token)).rejects.toThrow('exp');
  jest.useRealTimers();
});

test('both keys of an issuer are accepted during a key change', async () => {
  const next = generateSigningKey();
  const verifier = createVerifier({ service, trustedKeys: { gateway: [next.publicKey, keys.publicKey] } });
  expect(await verifier.verify(await signed({ issuer: 'gateway' }))).toEqual(principal);
  expect(await verifier.verify(await signed({ issuer: 'gateway', key: next.privateKey }))).toEqual(principal);
});
