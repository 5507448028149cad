import { EventEmitter, once } from 'node:events';
import { listen } from '@webkiln/events';
import { call } from '@webkiln/rpc';
import { introspectKeys, newKey, newMember, newOrganization, operator, useIdentity } from '../testing/running-identity.ts';

/** Emits the id of each key whose change is broadcast. */
const changed = new EventEmitter();

useIdentity();

let org: string;
beforeAll(async () => {
  org = await newOrganization();
  listen('internal.key.changed', ({ data }) => changed.emit(data.key_id, data));
});

/** Resolves with the next event about the key, as every listener receives it. */
const nextChangeOf = async (keyId: string) => (await once(changed, keyId))[0];
const revoke = (key_id: string) => call('identity.RevokeKey', { key_id }, operator(org));

test('a revocation is broadcast to every listener, and introspection then reports the key as invalid', async () => {
  const key = await newKey(org);
  const change = nextChangeOf(key.id);
  await revoke(key.id);
  expect(await change).toEqual({ key_id: key.id, org_id: org });
  expect(await introspectKeys(key.secret)).toMatchObject([{ valid: false }]);
});

test('a rotation is broadcast to every listener, so that caches drop the old key’s expiry', async () => {
  const key = await newKey(org);
  const change = nextChangeOf(key.id);
  await call('identity.RotateKey', { key_id: key.id, grace_hours: 1 }, operator(org));
  expect(await change).toEqual({ key_id: key.id, org_id: org });
});

test('removing a member together with their keys broadcasts each revoked key', async () => {
  const member = await newMember(org, 'developer');
  const keys = [await newKey(org, { created_by: member }), await newKey(org, { created_by: member })];
  const change = Promise.all(keys.map(({ id }) => nextChangeOf(id)));
  await call('identity.RemoveMember', { member_id: member, revoke_keys: true }, operator(org));
  expect(await change).toEqual(keys.map(({ id }) => ({ key_id: id, org_id: org })));
});

test('revoking a revoked key broadcasts nothing', async () => {
  const [key, next] = [await newKey(org), await newKey(org)];
  let times = 0;
  changed.on(key.id, () => {
    times += 1;
  });
  await revoke(key.id);
  await revoke(key.id);
  const change = nextChangeOf(next.id);
  await revoke(next.id);
  await change;
  expect(times).toBe(1);
});
