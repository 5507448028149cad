import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { apiKeyOf, refusal, service, useIdentity } from '../testing/running-identity.ts';
import { isPaused } from './user-store.ts';

useIdentity();

const org = randomUUID();
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
