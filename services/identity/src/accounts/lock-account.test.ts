import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { identityCaller } from '../identity-caller.ts';
import { sessionsOf } from '../sessions/session-store.ts';
import { apiKeyOf, operator, refusal, service, useIdentity } from '../testing/running-identity.ts';
import { killReplica, type Replica, startReplica } from '../testing/start-replica.ts';
import { claimAccount } from './claim-account.ts';

const origin = 'http://localhost';
const password = 'correct horse battery';

useIdentity();

let replica: Replica;
beforeAll(async () => {
  replica = await startReplica(origin);
});
afterAll(() => killReplica(replica));

const newAccount = () => claimAccount(identityCaller(), { email: `${randomUUID()}@example.com`, name: 'Ada', password });

async function signIn(email: string, given: string) {
  const headers = { 'content-type': 'application/json', origin, 'x-webkiln-client-address': randomUUID() };
  const body = JSON.stringify({ email, password: given });
  const response = await fetch(`http://127.0.0.1:${replica.port}/api/auth/sign-in/email`, { method: 'POST', body, headers });
  const { request_id: _own, ...content } = (await response.json()) as Record<string, unknown>;
  return { status: response.status, content };
}

test('a locked account has no sessions, and the right password gets a sentence until it is unlocked', async () => {
  const { _id, email } = await newAccount();
  expect((await signIn(email, password)).status).toBe(200);
  const { account } = await call('identity.LockAccount', { email: email.toUpperCase() }, operator());
  expect(account).toMatchObject({ id: _id, email, locked_at: expect.any(String), ended_sessions: 1 });
  expect(await sessionsOf(_id)).toEqual([]);
  expect(await signIn(email, password)).toMatchObject({ status: 403, content: { code: 'account_locked' } });
  expect(await sessionsOf(_id)).toEqual([]);
  expect((await call('identity.LockAccount', { email }, operator())).account?.locked_at).toBe(account?.locked_at);
  await call('identity.UnlockAccount', { email }, operator());
  expect((await signIn(email, password)).status).toBe(200);
});

test('a stranger cannot tell a locked account from one that does not exist', async () => {
  const { email } = await newAccount();
  await call('identity.LockAccount', { email }, operator());
  expect(await signIn(email, 'wrong password')).toEqual(await signIn(`${randomUUID()}@example.com`, 'wrong password'));
});

test('ending the sessions of an account ends all of them, and it can sign in again', async () => {
  const { _id, email } = await newAccount();
  for (let times = 0; times < 12; times++) await signIn(email, password);
  const { account } = await call('identity.EndAccountSessions', { email }, operator());
  expect(account).toMatchObject({ ended_sessions: 12 });
  expect(await sessionsOf(_id)).toEqual([]);
  expect((await signIn(email, password)).status).toBe(200);
});

test.each([
  ['a service', service('clients-plans')],
  ['an API key', apiKeyOf('org')],
])('%s cannot lock an account', async (_who, caller) => {
  const { email } = await newAccount();
  await expect(call('identity.LockAccount', { email }, caller)).rejects.toThrow(refusal('permission_missing'));
});
