import { randomBytes, randomUUID } from 'node:crypto';
import { sessionTokenDigest } from '@webkiln/contract';
import { requestsOn } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { accessTokensBy, consumeToken, insertToken, tokenBy } from '../oauth/store/token-store.ts';
import { verifySessions } from '../sessions/session-use-cases.ts';
import { digestOf, newKey, newOrganization, pepper, present, service, useIdentity } from '../testing/running-identity.ts';
import { foundUnder, keyHash, keyOutcomes } from './key-secret.ts';
import { verifyKeys } from './key-use-cases.ts';

useIdentity();

const fresh = randomBytes(32);
const [old, both, renewed] = [keyHash([pepper]), keyHash([fresh, pepper]), keyHash([fresh])];
const gateway = () => ({ ...service('gateway'), signal: new AbortController().signal });

const isValid = async (hashOf: typeof both, secret: string) => {
  const { verdicts } = await verifyKeys(hashOf).run({ key_digests: [digestOf(secret)] }, gateway());
  return present(verdicts?.[0]).valid;
};

test('a key that is used while both peppers are listed works without the old one; one that is not ends with it', async () => {
  const org = await newOrganization();
  const [used, unused] = [await newKey(org), await newKey(org)];
  expect(await isValid(both, used.secret)).toBe(true);
  expect(await isValid(renewed, used.secret)).toBe(true);
  expect(await isValid(both, used.secret)).toBe(true);
  expect(await isValid(renewed, unused.secret)).toBe(false);
  expect(await isValid(both, unused.secret)).toBe(true);
});

test('the keys of a batch are looked up under all peppers by one indexed query', async () => {
  const org = await newOrganization();
  const secrets = [await newKey(org), await newKey(org)].map(({ secret }) => digestOf(secret));
  const operations = await requestsOn('keys', () => verifyKeys(keyHash([pepper, fresh])).run({ key_digests: secrets }, gateway()));
  expect(operations).toHaveLength(1);
  expect(operations[0]?.planSummary).toMatch(/^IXSCAN/);
});

test('a session that is used while both peppers are listed works without the old one', async () => {
  const digest = sessionTokenDigest(randomUUID());
  const session = {
    _id: randomUUID(),
    token_hash: old(digest),
    account_id: randomUUID(),
    org_id: '',
    created_at: new Date(),
    updated_at: new Date(),
    expires_at: new Date(Date.now() + 60_000),
    ended_at: null,
  };
  await mongoose.connection.collection<{ _id: string }>('sessions').insertOne(session);
  const valid = async (hashOf: typeof both) => {
    const { verdicts } = await verifySessions(hashOf).run({ session_digests: [digest] }, gateway());
    return present(verdicts?.[0]).valid;
  };
  expect(await valid(renewed)).toBe(false);
  expect(await valid(both)).toBe(true);
  expect(await valid(renewed)).toBe(true);
});

test('a token of OAuth is found and used up under whichever pepper it was stored, and stored only once', async () => {
  const digest = randomBytes(32).toString('base64url');
  const token = {
    kind: 'access' as const,
    org_id: randomUUID(),
    grant_id: randomUUID(),
    payload: '{}',
    expires_at: new Date(Date.now() + 60_000),
  };
  await insertToken(old.all(digest), token);
  await insertToken(both.all(digest), token);
  expect(await tokenBy(renewed.all(digest), 'access')).toBeNull();
  expect(foundUnder(await accessTokensBy(both.all(digest)), both.all(digest))?.record.grant_id).toBe(token.grant_id);
  expect(await consumeToken(present(await tokenBy(both.all(digest), 'access')), new Date())).toBe(true);
  expect(await consumeToken(present(await tokenBy(both.all(digest), 'access')), new Date())).toBe(false);
});

test('a stored answer opens while the pepper that sealed it is listed', () => {
  const sealed = keyOutcomes([pepper]).seal('org', Buffer.from('answer'));
  for (const peppers of [
    [pepper, fresh],
    [fresh, pepper],
  ] as const)
    expect(Buffer.from(keyOutcomes(peppers).open('org', sealed)).toString()).toBe('answer');
  expect(() => keyOutcomes([fresh]).open('org', sealed)).toThrow();
});
