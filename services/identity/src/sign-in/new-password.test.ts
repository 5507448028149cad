import { randomUUID } from 'node:crypto';
import { unscoped } from '@webkiln/store';
import { useTestStore } from '@webkiln/store/testing';
import { claimAccount } from '../accounts/claim-account.ts';
import { identityCaller } from '../identity-caller.ts';
import { AccountMailModel, AccountMailStore } from '../mails/account-mail-store.ts';
import { noOrganization } from '../sessions/session.ts';
import { insertSession, liveSessions } from '../sessions/session-store.ts';
import { killReplica, type Replica, startReplica } from '../testing/start-replica.ts';
import { challengeTable } from './tables/challenge-store.ts';

const origin = 'http://localhost';
const password = 'correct horse battery';

useTestStore();

let replica: Replica;
beforeAll(async () => {
  replica = await startReplica(origin);
});
afterAll(() => killReplica(replica));

function ask(route: string, body: object, cookie = '', network: string = randomUUID()): Promise<Response> {
  const headers = { 'content-type': 'application/json', origin, cookie, 'x-webkiln-client-address': network };
  return fetch(`http://127.0.0.1:${replica.port}/api/auth${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

const newAccount = () => claimAccount(identityCaller(), { email: `${randomUUID()}@example.com`, name: 'Ada', password });
const live = async (account_id: string) => (await liveSessions({ account_id }, 1000)).length;
const times = () => ({ created_at: new Date(), updated_at: new Date(), expires_at: new Date(Date.now() + 3600_000) });

async function newSession(account_id: string): Promise<void> {
  const [_id, token_hash] = [randomUUID(), randomUUID()];
  await insertSession(
    identityCaller(),
    { _id, token_hash, account_id, ...noOrganization, user_agent: '', ip_prefix: '', ...times(), ended_at: null },
    [],
  );
}

/** Requests a password reset and returns the token in its link. */
async function resetToken(email: string): Promise<string> {
  const before = new Set((await unscoped(AccountMailModel).find({})).map(({ _id }) => _id));
  expect((await ask('/request-password-reset', { email })).status).toBe(200);
  const [mail] = (await unscoped(AccountMailModel).find({})).filter(({ _id }) => !before.has(_id));
  const kept = await new AccountMailStore(['a'.repeat(32)]).find(mail?._id ?? '');
  return new URL(kept?.link?.url ?? '').searchParams.get('token') ?? '';
}

test('a password reset ends all sessions, however many, and invalidates other links and pending sign-ins', async () => {
  const [{ _id, email }, other] = [await newAccount(), await newAccount()];
  await Promise.all([newSession(other._id), ...Array.from({ length: 120 }, () => newSession(_id))]);
  const [token, earlier] = [await resetToken(email), await resetToken(email)];
  await challengeTable.create({ _id: 'a second factor', identifier: randomUUID(), value: _id, ...times() });
  expect((await ask('/reset-password', { token, newPassword: 'the new password' })).status).toBe(200);
  expect([await live(_id), await live(other._id)]).toEqual([0, 1]);
  expect((await ask('/reset-password', { token: earlier, newPassword: 'another password' })).status).toBe(400);
  const byId = { field: '_id', operator: 'eq', value: 'a second factor', connector: 'AND', mode: 'sensitive' };
  expect(await challengeTable.find([byId], 1, false)).toEqual([]);
});

test('none of ten sign-ins with the old password survives a concurrent password change', async () => {
  const { _id, email } = await newAccount();
  const token = await resetToken(email);
  const attempts = Array.from({ length: 10 }, () => ask('/sign-in/email', { email, password }, '', 'one network'));
  const reset = ask('/reset-password', { token, newPassword: 'the new password' });
  const statuses = (await Promise.all(attempts)).map(({ status }) => status);
  expect([(await reset).status, statuses.filter((status) => status !== 200 && status !== 401)]).toEqual([200, []]);
  expect(await live(_id)).toBe(0);
  expect((await ask('/sign-in/email', { email, password })).status).toBe(401);
});

test('of five concurrent password changes only one succeeds, and its password is the stored one', async () => {
  const { email } = await newAccount();
  const cookie = (await ask('/sign-in/email', { email, password })).headers.getSetCookie()[0]?.split(';', 1)[0];
  const wanted = Array.from({ length: 5 }, (_, index) => `new password ${index}`);
  const change = (newPassword: string) => ask('/change-password', { currentPassword: password, newPassword }, cookie);
  const statuses = (await Promise.all(wanted.map(change))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  const made = wanted[statuses.indexOf(200)];
  expect((await ask('/sign-in/email', { email, password: made })).status).toBe(200);
});
