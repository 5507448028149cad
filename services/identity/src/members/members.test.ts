import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import mongoose from 'mongoose';
import {
  apiKeyOf,
  newKey,
  newMember,
  newOrganization,
  operator,
  refusal,
  service,
  useIdentity,
  verdictsOn,
} from '../testing/running-identity.ts';

useIdentity();

let org: string;
beforeAll(async () => {
  org = await newOrganization();
});

const newEmail = () => `${randomUUID()}@example.com`;
const add = (wanted: { email: string; role: string; password?: string }, orgId = org) =>
  call('identity.AddMember', wanted, operator(orgId));
const remove = (member_id: string, revoke_keys: boolean, orgId = org) =>
  call('identity.RemoveMember', { member_id, revoke_keys }, operator(orgId));
const membersOf = async (orgId: string) => (await call('identity.ListMembers', {}, operator(orgId))).members;
const accounts = (email: string) => mongoose.connection.collection('accounts').countDocuments({ email_folded: email.toLowerCase() });

test.each(['owner', 'admin', 'developer', 'viewer'])('a member works as %s', async (role) => {
  const own = await newOrganization();
  const email = newEmail();
  const { member } = await add({ email, role }, own);
  expect(member).toMatchObject({ email, role });
  expect(await membersOf(own)).toEqual([member]);
});

test.each(['', 'Owner', 'root'])('%p is no role', async (role) => {
  await expect(add({ email: newEmail(), role })).rejects.toThrow(refusal('validation_failed', 'role'));
});

test('a person is a member of an organization once, whatever the case of the email, also when added ten times at once', async () => {
  const email = newEmail();
  const tries = Array.from({ length: 10 }, (_, at) => add({ email: at % 2 === 0 ? email : email.toUpperCase(), role: 'admin' }));
  const outcomes = await Promise.allSettled(tries);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toEqual(refusal('member_exists'));
  }
  expect(await accounts(email)).toBe(1);
});

test('a person works in two organizations with one account', async () => {
  const email = newEmail();
  const other = await newOrganization();
  await add({ email, role: 'owner' });
  await add({ email, role: 'viewer' }, other);
  expect(await membersOf(other)).toMatchObject([{ email, role: 'viewer' }]);
  expect(await accounts(email)).toBe(1);
});

test('a password is given to a person who has none, and to nobody else', async () => {
  const email = newEmail();
  await add({ email, role: 'owner' });
  const other = await newOrganization();
  await add({ email, role: 'owner', password: 'a first password' }, other);
  await expect(add({ email, role: 'owner', password: 'another password' }, await newOrganization())).rejects.toThrow(
    refusal('validation_failed', 'password'),
  );
  const activation = { user_id: randomUUID(), email, password: 'a first password' };
  await expect(call('identity.ActivateUser', activation, service('clients-plans', org))).resolves.toHaveProperty('account_id');
});

test('removing a member names the keys that work and leaves them', async () => {
  const member = await newMember(org, 'developer');
  const [live, revoked] = [await newKey(org, { created_by: member }), await newKey(org, { created_by: member })];
  await newKey(org);
  await call('identity.RevokeKey', { key_id: revoked.id }, operator(org));
  const { keys } = await remove(member, false);
  expect(keys).toEqual([expect.objectContaining({ id: live.id })]);
  expect(await verdictsOn(live.secret)).toMatchObject([{ valid: true }]);
  expect((await membersOf(org)).map(({ id }) => id)).not.toContain(member);
});

test("removing a member with his keys ends those, and nobody else's", async () => {
  const member = await newMember(org, 'developer');
  const [his, others] = [await newKey(org, { created_by: member }), await newKey(org, { created_by: await newMember(org, 'admin') })];
  const { keys } = await remove(member, true);
  expect(keys).toMatchObject([{ id: his.id, revoked_at: expect.any(String) }]);
  expect(await verdictsOn(his.secret, others.secret)).toMatchObject([{ valid: false }, { valid: true }]);
});

test('a member who was removed is gone, and can be added again', async () => {
  const email = newEmail();
  const { member } = await add({ email, role: 'owner' });
  await remove(member?.id ?? '', false);
  await expect(remove(member?.id ?? '', false)).rejects.toThrow(refusal('member_not_found'));
  await expect(add({ email, role: 'viewer' })).resolves.toMatchObject({ member: { role: 'viewer' } });
});

test("another organization's member cannot be removed, and looks as if he were not there", async () => {
  const other = await newOrganization();
  const stranger = await newMember(other, 'owner');
  const key = await newKey(other, { created_by: stranger });
  await expect(remove(stranger, true)).rejects.toThrow(refusal('member_not_found'));
  expect(await membersOf(other)).toMatchObject([{ id: stranger }]);
  expect(await verdictsOn(key.secret)).toMatchObject([{ valid: true }]);
});

test('only an operator adds and removes members', async () => {
  const member = await newMember(org, 'viewer');
  for (const caller of [apiKeyOf(org), service('gateway', org)]) {
    await expect(call('identity.AddMember', { email: newEmail(), role: 'owner' }, caller)).rejects.toThrow(refusal('permission_missing'));
    await expect(call('identity.RemoveMember', { member_id: member }, caller)).rejects.toThrow(refusal('permission_missing'));
  }
});

test('a service that acts for an organization lists its members, to write to them; a key does not', async () => {
  const own = await newOrganization();
  const member = await newMember(own, 'admin');
  expect((await call('identity.ListMembers', {}, service('webhooks', own))).members).toMatchObject([{ id: member, role: 'admin' }]);
  await expect(call('identity.ListMembers', {}, apiKeyOf(own))).rejects.toThrow(refusal('permission_missing'));
});

test('an attempt that was cut off after the password was set can be repeated', async () => {
  const email = newEmail();
  const wanted = { email, role: 'owner', password: 'a first password' };
  await add(wanted);
  const other = await newOrganization();
  expect((await add(wanted, other)).member).toMatchObject({ email, role: 'owner' });
});
