import { call } from '@webkiln/rpc';
import { nextMillisecond } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import {
  apiKeyOf,
  digestOf,
  introspectKeys,
  newKey,
  newMember,
  newOrganization,
  operator,
  refusal,
  service,
  useIdentity,
} from '../testing/running-identity.ts';

useIdentity();

let org: string;
beforeAll(async () => {
  org = await newOrganization();
});

const rotate = (key_id: string, grace_hours: number) => call('identity.RotateKey', { key_id, grace_hours }, operator(org));
const revoke = (key_id: string) => call('identity.RevokeKey', { key_id }, operator(org));

test('revoking a revoked key succeeds and keeps the first time', async () => {
  const key = await newKey(org);
  const first = await revoke(key.id);
  expect(await revoke(key.id)).toEqual(first);
});

test('twenty concurrent revocations of one key all succeed and write it once', async () => {
  const key = await newKey(org);
  const replies = await Promise.all(Array.from({ length: 20 }, () => revoke(key.id)));
  expect(new Set(replies.map((reply) => reply.key?.revoked_at)).size).toBe(1);
  const stored = await mongoose.connection.collection<{ _id: string; revision: number }>('keys').findOne({ _id: key.id });
  expect(stored?.revision).toBe(2);
});

test("another organization's key cannot be listed, rotated or revoked, and is reported as not found", async () => {
  const other = await newOrganization();
  const foreign = await newKey(other);
  const missing = refusal('key_not_found');
  await expect(revoke(foreign.id)).rejects.toThrow(missing);
  await expect(rotate(foreign.id, 0)).rejects.toThrow(missing);
  await expect(revoke('no-such-key')).rejects.toThrow(missing);
  const { keys } = await call('identity.ListKeys', {}, operator(org));
  expect(keys.map(({ id }) => id)).not.toContain(foreign.id);
  expect(await introspectKeys(foreign.secret)).toEqual([expect.objectContaining({ valid: true, org_id: other })]);
});

test('keys are listed newest first with their name and prefix, and never with the secret', async () => {
  const own = await newOrganization();
  const first = await newKey(own, { name: 'first' });
  await nextMillisecond();
  const second = await newKey(own, { name: 'second', permissions: ['write'] });
  const { keys } = await call('identity.ListKeys', {}, operator(own));
  expect(keys.map(({ name, prefix, permissions }) => ({ name, prefix, permissions }))).toEqual([
    { name: 'second', prefix: second.secret.slice(0, 8), permissions: ['write'] },
    { name: 'first', prefix: first.secret.slice(0, 8), permissions: ['read'] },
  ]);
  for (const secret of [first.secret, second.secret]) expect(JSON.stringify(keys)).not.toContain(secret.slice(8));
});

test('the last use is the latest that any gateway reports, in any order, and reports for another organization are ignored', async () => {
  const key = await newKey(org);
  const used = (last_used_at: string, org_id = org) => ({ key_id: key.id, org_id, last_used_at });
  const record = (...uses: ReturnType<typeof used>[]) => call('identity.RecordKeyUse', { uses }, service('gateway'));
  await record(used('2026-01-02T00:00:00.000Z'), used('2026-01-01T00:00:00.000Z'));
  await record(used('2026-01-01T12:00:00.000Z'), used('2027-01-01T00:00:00.000Z', await newOrganization()));
  const { keys } = await call('identity.ListKeys', {}, operator(org));
  expect(keys.find(({ id }) => id === key.id)?.last_used_at).toBe('2026-01-02T00:00:00.000Z');
});

test('developers can be a key’s creator; viewers and members of other organizations cannot', async () => {
  const [viewer, developer] = [await newMember(org, 'viewer'), await newMember(org, 'developer')];
  const stranger = await newMember(await newOrganization(), 'owner');
  await expect(newKey(org, { created_by: viewer })).rejects.toThrow(refusal('validation_failed', 'created_by'));
  await expect(newKey(org, { created_by: stranger })).rejects.toThrow(refusal('member_not_found'));
  expect(await newKey(org, { created_by: developer })).toMatchObject({ created_by: developer });
});

test('no key is created for an unknown organization', async () => {
  await expect(newKey('no-such-organization')).rejects.toThrow(refusal('organization_not_found'));
  await expect(newKey('')).rejects.toThrow(refusal('organization_not_found'));
});

test('an API key cannot verify, list, create, rotate or revoke keys', async () => {
  const key = await newKey(org);
  const caller = apiKeyOf(org);
  const missing = refusal('permission_missing');
  await expect(call('identity.VerifyKeys', { key_digests: [digestOf(key.secret)] }, caller)).rejects.toThrow(missing);
  await expect(call('identity.RecordKeyUse', { uses: [] }, caller)).rejects.toThrow(missing);
  await expect(call('identity.ListKeys', {}, caller)).rejects.toThrow(missing);
  await expect(call('identity.CreateKey', { name: 'CI', permissions: ['read'] }, caller)).rejects.toThrow(missing);
  await expect(call('identity.RotateKey', { key_id: key.id }, caller)).rejects.toThrow(missing);
  await expect(call('identity.RevokeKey', { key_id: key.id }, caller)).rejects.toThrow(missing);
  expect(await introspectKeys(key.secret)).toEqual([expect.objectContaining({ valid: true })]);
});

test('a service cannot list or create keys', async () => {
  const caller = service('gateway', org);
  const missing = refusal('permission_missing');
  await expect(call('identity.ListKeys', {}, caller)).rejects.toThrow(missing);
  await expect(call('identity.CreateKey', { name: 'CI', permissions: ['read'] }, caller)).rejects.toThrow(missing);
});
