import { randomUUID } from 'node:crypto';
import { callerFor, operatorPrincipal, serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { unscoped } from '@webkiln/store';
import { until } from '@webkiln/store/testing';
import { logsNaming } from '../audit/audit-store.ts';
import { membershipsAcross } from '../members/member-store.ts';
import { onAudited } from '../reactions/on-audited.ts';
import { noOrganization } from '../sessions/session.ts';
import { insertSession, sessionsOf } from '../sessions/session-store.ts';
import {
  apiKeyOf,
  authKeys,
  newMember,
  newOrganization,
  operator,
  present,
  refusal,
  service,
  useIdentity,
} from '../testing/running-identity.ts';
import { killReplica, type Replica, startReplica } from '../testing/start-replica.ts';
import { stolenDatabase } from '../testing/stolen-database.ts';
import { isVerified, openAccount } from './account.ts';
import { type Account, AccountModel, accountById, changeAccount } from './account-store.ts';
import { claimAccount } from './claim-account.ts';
import { sweepDeletedAccounts } from './delete-account.ts';
import { ErasedAddresses } from './erased-addresses.ts';

useIdentity();

describe('the state of an account', () => {
  const account = openAccount({ _id: 'a1', email: 'Ada@Example.com', name: null }, new Date());

  test('an account keeps its email as typed and is looked up case-insensitively', () => {
    expect(account).toMatchObject({ email: 'Ada@Example.com', email_folded: 'ada@example.com', password_hash: null });
  });

  test('a new account’s email is unverified; accounts without the field, from before sign-up existed, count as verified', () => {
    expect([isVerified(account), isVerified({})]).toEqual([false, true]);
  });
});

describe('locks', () => {
  const origin = 'http://localhost';
  const password = 'correct horse battery';

  let replica: Replica;
  beforeAll(async () => {
    replica = await startReplica(origin);
  });
  afterAll(() => killReplica(replica));

  const newAccount = () => claimAccount(serviceCaller('identity'), { email: `${randomUUID()}@example.com`, name: 'Ada', password });

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

  async function choosePassword(url: string | undefined, newPassword: string): Promise<number> {
    const token = new URL(url ?? '').searchParams.get('token');
    const headers = { 'content-type': 'application/json', origin, 'x-webkiln-client-address': randomUUID() };
    const body = JSON.stringify({ newPassword, token });
    return (await fetch(`http://127.0.0.1:${replica.port}/api/auth/reset-password`, { method: 'POST', body, headers })).status;
  }

  test('by the link of an operator a new member chooses a password once, and signs in without a mail', async () => {
    const org_id = await newOrganization();
    const email = `${randomUUID()}@example.com`;
    await call('identity.AddMember', { email, role: 'owner' }, operator(org_id));
    const { url, expires_at = '' } = await call('identity.CreatePasswordLink', { email, unless_password: true }, operator());
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(24 * 3600_000);
    expect(await choosePassword(url, password)).toBe(200);
    expect((await signIn(email, password)).status).toBe(200);
    expect(await choosePassword(url, 'another horse battery')).toBe(400);
    expect((await signIn(email, password)).status).toBe(200);
  });

  test('an account with a password gets no link where only one without is meant, and a locked account none at all', async () => {
    const { email } = await newAccount();
    expect(await call('identity.CreatePasswordLink', { email, unless_password: true }, operator())).not.toHaveProperty('url');
    await call('identity.LockAccount', { email }, operator());
    await expect(call('identity.CreatePasswordLink', { email }, operator())).rejects.toThrow(refusal('validation_failed'));
  });

  test.each([
    ['a service', () => service('clients-plans')],
    ['an API key', () => apiKeyOf('org')],
  ])('%s cannot lock an account', async (_who, caller) => {
    const { email } = await newAccount();
    await expect(call('identity.LockAccount', { email }, caller())).rejects.toThrow(refusal('permission_missing'));
  });
});

describe('deletions', () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const erased = new ErasedAddresses(authKeys);

  beforeAll(() => onAudited(erased));

  const sweep = () => sweepDeletedAccounts(erased);
  const current = async ({ _id }: { _id: string }): Promise<Account> => present(await accountById(_id));
  const newAccount = () =>
    claimAccount(serviceCaller('identity'), { email: `${randomUUID()}@example.com`, name: 'Ada', password: 'a long password' });

  async function signIn(account_id: string): Promise<void> {
    const times = { created_at: new Date(), updated_at: new Date(), expires_at: minutesAgo(-60) };
    const state = {
      _id: randomUUID(),
      token_hash: randomUUID(),
      account_id,
      ...noOrganization,
      user_agent: '',
      ip_prefix: '',
      ended_at: null,
    };
    await insertSession(serviceCaller('identity'), { ...state, ...times }, []);
  }

  /** An account that works in an organization, whose log names it, and whose deletion broke off as its time was up. */
  async function halfDeleted() {
    const account = await newAccount();
    await newMember(await newOrganization(), 'viewer', account.email);
    await signIn(account._id);
    await until(async () => (await logsNaming(account._id)).length === 1);
    // Less than an attempt leaves for its answer.
    const shortOfTime = callerFor(operatorPrincipal(), { timeoutMs: 4_000 });
    const { done } = await call(
      'identity.DeleteAccount',
      { email: account.email, confirm: account.email, revoke_keys: false },
      shortOfTime,
    );
    expect(done).toBe(false);
    return account;
  }

  const beganMinutesAgo = ({ _id }: { _id: string }, minutes: number) =>
    changeAccount(serviceCaller('identity'), _id, { deleted_at: minutesAgo(minutes) });

  test('a deletion that broke off is ended by the sweep, once no request of that time can still run', async () => {
    const account = await halfDeleted();
    await sweep();
    expect(await current(account)).toMatchObject({ email: account.email, erased_at: null });
    await beganMinutesAgo(account, 2);
    await sweep();
    expect(await current(account)).toMatchObject({ email: 'deleted', name: null, password_hash: null, erased_at: expect.any(Date) });
    expect([await membershipsAcross(account._id), await sessionsOf(account._id)]).toEqual([[], []]);
    // Events that name the account may still wait for the stream.
    await until(async () => !(await stolenDatabase()).includes(account.email));
  });

  test('what a request added to an account while it was deleted is removed by the next sweep, which is the last', async () => {
    const account = await halfDeleted();
    await beganMinutesAgo(account, 2);
    await sweep();
    await signIn(account._id);
    await sweep();
    expect(await sessionsOf(account._id)).toEqual([]);
    const swept = await current(account);
    expect(swept.swept_at).toEqual(expect.any(Date));
    await sweep();
    expect(await current(account)).toEqual(swept);
  });

  test('an account that cannot be deleted yet, as the last owner of an organization, stops no other, and is deleted once it can', async () => {
    const [owner, other] = [await newAccount(), await halfDeleted()];
    const organization = await newOrganization();
    await newMember(organization, 'owner', owner.email);
    await beganMinutesAgo(owner, 3);
    await beganMinutesAgo(other, 2);
    await sweep();
    expect([(await current(owner)).erased_at, (await current(other)).erased_at]).toEqual([null, expect.any(Date)]);
    await newMember(organization, 'owner');
    await sweep();
    expect((await current(owner)).erased_at).toEqual(expect.any(Date));
    expect(await unscoped(AccountModel).find({ email: owner.email })).toEqual([]);
  });
});
