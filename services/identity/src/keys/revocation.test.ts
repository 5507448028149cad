import { EventEmitter, once } from 'node:events';
import { listen } from '@webkiln/events';
import { call } from '@webkiln/rpc';
import { newKey, newMember, newOrganization, operator, useIdentity, verdictsOn } from '../testing/running-identity.ts';

/** Emits the id of each key that was told to have changed. */
const changed = new EventEmitter();

useIdentity();

let org: string;
beforeAll(async () => {
  org = await newOrganization();
  listen('internal.key.changed', ({ data }) => changed.emit(data.key_id, data));
});

/** What every listener hears of the key from now on. */
const told = async (keyId: string) => (await once(changed, keyId))[0];
const revoke = (key_id: string) => call('identity.RevokeKey', { key_id }, operator(org));

test('everyone who listens hears of a revocation, and a verdict asked for then refuses the key', async () => {
  const key = await newKey(org);
  const hearing = told(key.id);
  await revoke(key.id);
  expect(await hearing).toEqual({ key_id: key.id, org_id: org });
  expect(await verdictsOn(key.secret)).toMatchObject([{ valid: false }]);
});

test('everyone who listens hears of a rotation, so that nobody takes the old key for longer than its grace', async () => {
  const key = await newKey(org);
  const hearing = told(key.id);
  await call('identity.RotateKey', { key_id: key.id, grace_hours: 1 }, operator(org));
  expect(await hearing).toEqual({ key_id: key.id, org_id: org });
});

test('removing a member with his keys tells of each of them', async () => {
  const member = await newMember(org, 'developer');
  const keys = [await newKey(org, { created_by: member }), await newKey(org, { created_by: member })];
  const hearing = Promise.all(keys.map(({ id }) => told(id)));
  await call('identity.RemoveMember', { member_id: member, revoke_keys: true }, operator(org));
  expect(await hearing).toEqual(keys.map(({ id }) => ({ key_id: id, org_id: org })));
});

test('revoking again tells nobody again', async () => {
  const [key, next] = [await newKey(org), await newKey(org)];
  let times = 0;
  changed.on(key.id, () => {
    times += 1;
  });
  await revoke(key.id);
  await revoke(key.id);
  const hearing = told(next.id);
  await revoke(next.id);
  await hearing;
  expect(times).toBe(1);
});
