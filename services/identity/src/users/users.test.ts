import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import mongoose from 'mongoose';
import { apiKeyOf, newMember, newOrganization, refusal, service, useIdentity } from '../testing/running-identity.ts';
import { accessOf } from './user-store.ts';

useIdentity();

describe('activation', () => {
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

  test('activation creates an account with the chosen password for an address without one', async () => {
    const email = newEmail();
    expect(await hasAccount(email)).toBe(false);
    const { account_id } = await activate({ email, password });
    expect(account_id).not.toBe('');
    expect(await hasAccount(email.toUpperCase())).toBe(true);
  });

  test('activating again with the same password returns the same account and changes nothing', async () => {
    const wanted = { email: newEmail(), password, user_id: randomUUID() };
    const first = await activate(wanted);
    expect(await activate(wanted)).toEqual(first);
    expect(await mongoose.connection.collection('users').countDocuments({ account_id: first.account_id })).toBe(1);
  });

  test('an address with an account is activated only with its existing password, which does not change', async () => {
    const email = newEmail();
    const { account_id } = await activate({ email, password });
    await expect(activate({ email, password: 'not the password' })).rejects.toThrow(wrong);
    expect(await activate({ email: email.toUpperCase(), password })).toEqual({ account_id });
  });

  test('ten concurrent activations of one address with one password all get the same account', async () => {
    const email = newEmail();
    const replies = await Promise.all(Array.from({ length: 10 }, () => activate({ email, password })));
    expect(new Set(replies.map(({ account_id }) => account_id)).size).toBe(1);
  });

  test('a person can be a user of two organizations with one account', async () => {
    const email = newEmail();
    const { account_id } = await activate({ email, password });
    expect(await activate({ email, password }, await newOrganization())).toEqual({ account_id });
    expect(await mongoose.connection.collection('users').countDocuments({ account_id })).toBe(2);
  });

  test('a user keeps its account', async () => {
    const user_id = randomUUID();
    await activate({ user_id, email: newEmail(), password });
    await expect(activate({ user_id, email: newEmail(), password })).rejects.toThrow(refusal('validation_failed', 'user_id'));
  });

  test('a member without a password sets it by activating', async () => {
    const email = newEmail();
    await newMember(org, 'viewer', email);
    expect(await hasAccount(email)).toBe(false);
    await activate({ email, password });
    expect(await hasAccount(email)).toBe(true);
    await expect(activate({ email, password: 'another password' })).rejects.toThrow(wrong);
  });

  test.each(['', 'x'.repeat(7), 'x'.repeat(129)])('%p is refused as a password: it must have 8 to 128 characters', async (unfit) => {
    const email = newEmail();
    await expect(activate({ email, password: unfit })).rejects.toThrow(wrong);
    expect(await hasAccount(email)).toBe(false);
  });

  test.each(['x'.repeat(8), 'x'.repeat(128)])('%p is accepted as a password', async (fit) => {
    await expect(activate({ email: newEmail(), password: fit })).resolves.toHaveProperty('account_id');
  });

  test.each([{ email: 'nobody' }, { user_id: 'no-uuid' }])('%j is refused', async (unfit) => {
    await expect(activate({ email: newEmail(), password, ...unfit })).rejects.toThrow(refusal('validation_failed'));
  });

  test('of thirty concurrent wrong passwords ten are checked; then even the right one is refused', async () => {
    const email = newEmail();
    await activate({ email, password });
    const tries = Array.from({ length: 30 }, () => activate({ email, password: 'not the password' }).catch(({ code }) => code));
    const codes = await Promise.all(tries);
    expect(codes.filter((code) => code === 'validation_failed')).toHaveLength(10);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(20);
    await expect(activate({ email, password })).rejects.toThrow(refusal('rate_limited'));
  });

  test('activations with the right password do not count as failed attempts', async () => {
    const email = newEmail();
    const { account_id } = await activate({ email, password });
    for (let times = 0; times < 21; times += 1) expect(await activate({ email, password })).toEqual({ account_id });
  });

  test('the database contains no password', async () => {
    const email = newEmail();
    await activate({ email, password: 'a secret nobody reads' });
    const account = await mongoose.connection.collection('accounts').findOne({ email_folded: email });
    expect(account?.password_hash).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}:10$/);
    expect(JSON.stringify(account)).not.toContain('a secret nobody reads');
  });

  test('an API key can neither activate users nor look up accounts', async () => {
    const request = { user_id: randomUUID(), email: newEmail(), password };
    await expect(call('identity.ActivateUser', request, apiKeyOf(org))).rejects.toThrow(refusal('permission_missing'));
    await expect(call('identity.HasAccount', { email: newEmail() }, apiKeyOf(org))).rejects.toThrow(refusal('permission_missing'));
  });

  test('activation requires an organization', async () => {
    await expect(activate({ email: newEmail(), password }, '')).rejects.toThrow(refusal('organization_not_found'));
  });
});

describe('access', () => {
  const org = randomUUID();
  const isPaused = async (org_id: string, user: string) => (await accessOf(org_id, user)).paused;
  const say = (user_id: string, client_revision: number, paused: boolean, caller = service('clients-plans', org)) =>
    call('identity.SetUserAccess', { user_id, paused, client_revision }, caller);

  test('the latest client revision wins, in any order and concurrently', async () => {
    const user = randomUUID();
    expect(await isPaused(org, user)).toBe(false);
    await Promise.all([say(user, 3, true), say(user, 2, false), say(user, 4, false), say(user, 5, true), say(user, 1, false)]);
    expect(await isPaused(org, user)).toBe(true);
    await say(user, 4, false);
    expect(await isPaused(org, user)).toBe(true);
    await say(user, 6, false);
    expect(await isPaused(org, user)).toBe(false);
  });

  test('a user is paused only in its own organization', async () => {
    const user = randomUUID();
    await say(user, 2, true);
    expect(await isPaused(randomUUID(), user)).toBe(false);
  });

  test('only services can pause users', async () => {
    await expect(say(randomUUID(), 2, true, apiKeyOf(org))).rejects.toThrow(refusal('permission_missing'));
  });
});
