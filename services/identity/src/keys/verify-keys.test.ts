import { randomBytes } from 'node:crypto';
import { formatApiKey } from '@webkiln/contract';
import { call } from '@webkiln/rpc';
import mongoose from 'mongoose';
import { introspectKeys, newKey, newOrganization, operator, refusal, useIdentity } from '../testing/running-identity.ts';

useIdentity();

let org: string;
beforeAll(async () => {
  org = await newOrganization();
});

const refused = { valid: false, key_id: '', org_id: '', permissions: [], suspended: false };
const unknown = () => formatApiKey(randomBytes(32));
const rotate = (key_id: string, grace_hours: number) => call('identity.RotateKey', { key_id, grace_hours }, operator(org));
const revoke = (key_id: string) => call('identity.RevokeKey', { key_id }, operator(org));
/** Moves the key's expiry into the past. */
const expire = (id: string) =>
  mongoose.connection.collection<{ _id: string }>('keys').updateOne({ _id: id }, { $set: { expires_at: new Date(Date.now() - 1) } });

test('introspection of a key returns its organization, permissions and expiry', async () => {
  const expires_at = new Date(Date.now() + 60_000).toISOString();
  const key = await newKey(org, { permissions: ['write', 'read'], expires_at });
  expect(await introspectKeys(key.secret)).toEqual([
    expect.objectContaining({ valid: true, key_id: key.id, org_id: org, permissions: ['read', 'write'], expires_at }),
  ]);
});

test('unknown, revoked and expired keys give one and the same introspection result', async () => {
  const [revoked, expired] = [await newKey(org), await newKey(org)];
  await revoke(revoked.id);
  await expire(expired.id);
  for (const result of await introspectKeys(unknown(), revoked.secret, expired.secret)) expect(result).toEqual(refused);
});

test("introspection results are in the order of the request, each with its own organization's id and quota", async () => {
  const other = await newOrganization({ rate_limit: 7 });
  const [own, foreign] = [await newKey(org), await newKey(other)];
  const results = await introspectKeys(foreign.secret, unknown(), own.secret, foreign.secret);
  expect(results.map(({ org_id, key_id, rate_limit }) => ({ org_id, key_id, rate_limit }))).toEqual([
    { org_id: other, key_id: foreign.id, rate_limit: 7 },
    { org_id: '', key_id: '', rate_limit: undefined },
    { org_id: org, key_id: own.id, rate_limit: undefined },
    { org_id: other, key_id: foreign.id, rate_limit: 7 },
  ]);
});

test('after a rotation both keys work for the grace period; without one only the new key works', async () => {
  const [graceful, abrupt] = [await newKey(org), await newKey(org)];
  const [next, instead] = [await rotate(graceful.id, 24), await rotate(abrupt.id, 0)];
  const [old, fresh, ended, other] = await introspectKeys(graceful.secret, next.secret, abrupt.secret, instead.secret);
  expect(old).toMatchObject({ valid: true, key_id: graceful.id });
  const leftMs = Date.parse(old?.expires_at ?? '') - Date.now();
  expect(leftMs).toBeGreaterThan(23 * 3_600_000);
  expect(leftMs).toBeLessThanOrEqual(24 * 3_600_000);
  expect(fresh).toEqual({ valid: true, key_id: next.key?.id, org_id: org, permissions: ['read'], suspended: false });
  expect(ended).toEqual(refused);
  expect(other).toMatchObject({ valid: true, key_id: instead.key?.id });

  await expire(graceful.id);
  expect(await introspectKeys(graceful.secret)).toEqual([refused]);
});

test('a rotated key cannot be rotated again, but its successor can', async () => {
  const key = await newKey(org);
  const next = await rotate(key.id, 24);
  await expect(rotate(key.id, 24)).rejects.toThrow(refusal('validation_failed', 'key_id'));
  await expect(rotate(next.key?.id ?? '', 24)).resolves.toMatchObject({ key: { name: 'CI' } });
});

test.each([-1, 25])('a grace period of %d hours is refused and changes nothing', async (hours) => {
  const key = await newKey(org);
  await expect(rotate(key.id, hours)).rejects.toThrow(refusal('validation_failed', 'grace_hours'));
  expect(await introspectKeys(key.secret)).toEqual([{ valid: true, key_id: key.id, org_id: org, permissions: ['read'], suspended: false }]);
});
