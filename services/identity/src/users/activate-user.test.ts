import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import mongoose from 'mongoose';
import { apiKeyOf, newMember, newOrganization, operator, refusal, service, useIdentity } from '../testing/running-identity.ts';

useIdentity();

let org: string;
beforeAll(async () => {
  org = await newOrganization();
});

const password = 'correct horse battery';
const newEmail = () => `${randomUUID()}@example.com`;
const activate = (wanted: { email: string; password: string; user_id?: string }, orgId = org) =>
  call('identity.ActivateUser', { user_id: randomUUID(), ...wanted }, service('clients-plans', orgId));
const hasAccount = async (email: string) => (await call('identity.HasAccount', { email }, service('clients-plans', org))).exists;
const wrong = refusal('validation_failed', 'password');

test('an address without an account gets one with the password that was chosen', async () => {
  const email = newEmail();
  expect(await hasAccount(email)).toBe(false);
  const { account_id } = await activate({ email, password });
  expect(account_id).not.toBe('');
  expect(await hasAccount(email.toUpperCase())).toBe(true);
});

test('activating again with the same password finds the same account and changes nothing', async () => {
  const wanted = { email: newEmail(), password, user_id: randomUUID() };
  const first = await activate(wanted);
  expect(await activate(wanted)).toEqual(first);
  expect(await mongoose.connection.collection('users').countDocuments({ account_id: first.account_id })).toBe(1);
});

test('an address with an account is activated only with its password, which is not changed by that', async () => {
  const email = newEmail();
  const { account_id } = await activate({ email, password });
  await expect(activate({ email, password: 'not the password' })).rejects.toThrow(wrong);
  expect(await activate({ email: email.toUpperCase(), password })).toEqual({ account_id });
});

test('fifteen who activate one address at once with one password all get its one account', async () => {
  const email = newEmail();
  const replies = await Promise.all(Array.from({ length: 15 }, () => activate({ email, password })));
  expect(new Set(replies.map(({ account_id }) => account_id)).size).toBe(1);
});

test('a person is a user of two organizations with one account', async () => {
  const email = newEmail();
  const { account_id } = await activate({ email, password });
  expect(await activate({ email, password }, await newOrganization())).toEqual({ account_id });
  expect(await mongoose.connection.collection('users').countDocuments({ account_id })).toBe(2);
});

test('a user keeps the account he has', async () => {
  const user_id = randomUUID();
  await activate({ user_id, email: newEmail(), password });
  await expect(activate({ user_id, email: newEmail(), password })).rejects.toThrow(refusal('validation_failed', 'user_id'));
});

test('a member who has chosen no password yet chooses it by activating', async () => {
  const email = newEmail();
  await newMember(org, 'viewer', email);
  expect(await hasAccount(email)).toBe(false);
  await activate({ email, password });
  expect(await hasAccount(email)).toBe(true);
  await expect(activate({ email, password: 'another password' })).rejects.toThrow(wrong);
});

test.each(['', 'x'.repeat(7), 'x'.repeat(129)])('a password has 8 to 128 characters, which %p has not', async (unfit) => {
  const email = newEmail();
  await expect(activate({ email, password: unfit })).rejects.toThrow(wrong);
  expect(await hasAccount(email)).toBe(false);
});

test.each(['x'.repeat(8), 'x'.repeat(128)])('%p is a password', async (fit) => {
  await expect(activate({ email: newEmail(), password: fit })).resolves.toHaveProperty('account_id');
});

test.each([{ email: 'nobody' }, { user_id: 'no-uuid' }])('%j activates nobody', async (unfit) => {
  await expect(activate({ email: newEmail(), password, ...unfit })).rejects.toThrow(refusal('validation_failed'));
});

test('of thirty wrong passwords tried at once twenty are looked at, and then not even the right one passes', async () => {
  const email = newEmail();
  await activate({ email, password });
  const tries = Array.from({ length: 30 }, () => activate({ email, password: 'not the password' }).catch(({ code }) => code));
  const codes = await Promise.all(tries);
  expect(codes.filter((code) => code === 'validation_failed')).toHaveLength(20);
  expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(10);
  await expect(activate({ email, password })).rejects.toThrow(refusal('rate_limited'));
});

test('signing in with the right password uses up no tries', async () => {
  const email = newEmail();
  const { account_id } = await activate({ email, password });
  for (let times = 0; times < 21; times += 1) expect(await activate({ email, password })).toEqual({ account_id });
});

test('no password stands in the database', async () => {
  const email = newEmail();
  await activate({ email, password: 'a secret nobody reads' });
  const account = await mongoose.connection.collection('accounts').findOne({ email_folded: email });
  expect(account?.password_hash).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
  expect(JSON.stringify(account)).not.toContain('a secret nobody reads');
});

test('an API key activates nobody and asks after no account', async () => {
  const request = { user_id: randomUUID(), email: newEmail(), password };
  await expect(call('identity.ActivateUser', request, apiKeyOf(org))).rejects.toThrow(refusal('permission_missing'));
  await expect(call('identity.HasAccount', { email: newEmail() }, apiKeyOf(org))).rejects.toThrow(refusal('permission_missing'));
});

test('nobody is activated for no organization', async () => {
  await expect(activate({ email: newEmail(), password }, '')).rejects.toThrow(refusal('organization_not_found'));
  await expect(call('identity.ActivateUser', { user_id: randomUUID(), email: newEmail(), password }, operator())).rejects.toThrow(
    refusal('organization_not_found'),
  );
});
