import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { call } from './peers.ts';
import { createVerifier, generateSigningKey, Signer } from './principal-token.ts';
import { callerOf, connectTo, keys, service, startReplica, transports } from './testing/loopback.ts';

const { principal } = callerOf();
const runs = { 'projects.GetProject': async () => ({ etag: 'served' }) };
const ask = () => call('projects.GetProject', { project_id: 'p' }, callerOf());

const privateKey = (base64: string) => createPrivateKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'pkcs8' });
const signed = (claims: { issuer?: string; audience?: string; expires?: string; key?: string; content?: object }) =>
  new SignJWT({ principal: claims.content ?? principal })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer(claims.issuer ?? 'test')
    .setAudience(claims.audience ?? service)
    .setIssuedAt()
    .setExpirationTime(claims.expires ?? '60 s')
    .sign(privateKey(claims.key ?? keys.privateKey));

describe.each(transports)('a call that is %s', (transport) => {
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
    await expect(ask()).rejects.toMatchObject({ code: 'internal', cause: { message: expect.stringContaining('UNAUTHENTICATED') } });
  });

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
  ])('is refused with %s', async (_which, forge) => {
    const token = await forge();
    await using replica = await startReplica(runs);
    jest.spyOn(Signer.prototype, 'token').mockReturnValue(token);
    await using _peers = connectTo(transport, [replica.port]);
    await expect(ask()).rejects.toMatchObject({ code: 'internal', cause: { message: expect.stringContaining('UNAUTHENTICATED') } });
  });
});

const everythingButDate = ['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout'] as const;

afterEach(() => jest.restoreAllMocks());

test('a busy credential is signed and verified once, each other one for itself', async () => {
  const signer = new Signer('test', keys.privateKey);
  const verifier = createVerifier({ service, trustedKeys: { test: keys.publicKey } });
  const token = await signer.token(principal, service);
  expect(signer.token({ ...principal }, service)).toBe(token);
  for (const other of [{ org_id: 'other' }, { credential_id: 'other' }, { permissions: [] }, { kind: 'operator' as const }]) {
    expect(await signer.token({ ...principal, ...other }, service)).not.toBe(token);
  }
  expect(await signer.token(principal, 'identity')).not.toBe(token);
  expect(verifier.verify(token)).toBeInstanceOf(Promise);
  await verifier.verify(token);
  expect(verifier.verify(token)).toEqual(principal);
});

test('a token is signed anew before it expires, and believed no longer than it says', async () => {
  const signer = new Signer('test', keys.privateKey);
  const verifier = createVerifier({ service, trustedKeys: { test: keys.publicKey } });
  const token = await signer.token(principal, service);
  await verifier.verify(token);
  const now = Date.now();
  jest.useFakeTimers({ now: now + 46_000, doNotFake: [...everythingButDate] });
  expect(await signer.token(principal, service)).not.toBe(token);
  jest.setSystemTime(now + 61_000);
  await expect(verifier.verify(token)).rejects.toThrow('exp');
  jest.useRealTimers();
});

test('an issuer whose key changes is believed with the old key and the new one', async () => {
  const next = generateSigningKey();
  const verifier = createVerifier({ service, trustedKeys: { test: [next.publicKey, keys.publicKey] } });
  expect(await verifier.verify(await signed({}))).toEqual(principal);
  expect(await verifier.verify(await signed({ key: next.privateKey }))).toEqual(principal);
});
