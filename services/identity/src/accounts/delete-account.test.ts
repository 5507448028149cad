import { randomUUID } from 'node:crypto';
import { callerFor, operatorPrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { unscoped } from '@webkiln/store';
import { until } from '@webkiln/store/testing';
import { logsNaming } from '../audit/audit-store.ts';
import { identityCaller } from '../identity-caller.ts';
import { membershipsAcross } from '../members/member-store.ts';
import { onAudited } from '../reactions/on-audited.ts';
import { noOrganization } from '../sessions/session.ts';
import { insertSession, sessionsOf } from '../sessions/session-store.ts';
import { authKeys, newMember, newOrganization, present, useIdentity } from '../testing/running-identity.ts';
import { stolenDatabase } from '../testing/stolen-database.ts';
import { type Account, AccountModel, accountById, changeAccount } from './account-store.ts';
import { claimAccount } from './claim-account.ts';
import { sweepDeletedAccounts } from './delete-account.ts';
import { ErasedAddresses } from './erased-addresses.ts';

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const erased = new ErasedAddresses(authKeys);

useIdentity();
beforeAll(() => onAudited(erased));

const sweep = () => sweepDeletedAccounts(erased);
const current = async ({ _id }: { _id: string }): Promise<Account> => present(await accountById(_id));
const newAccount = () => claimAccount(identityCaller(), { email: `${randomUUID()}@example.com`, name: 'Ada', password: 'a long password' });

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
  await insertSession(identityCaller(), { ...state, ...times }, []);
}

/** An account that works in an organization, whose log names it, and whose deletion broke off as its time was up. */
async function halfDeleted() {
  const account = await newAccount();
  await newMember(await newOrganization(), 'viewer', account.email);
  await signIn(account._id);
  await until(async () => (await logsNaming(account._id)).length === 1);
  // Less than an attempt leaves for its answer.
  const shortOfTime = callerFor(operatorPrincipal(), { timeoutMs: 4_000 });
  const { done } = await call('identity.DeleteAccount', { email: account.email, confirm: account.email, revoke_keys: false }, shortOfTime);
  expect(done).toBe(false);
  return account;
}

const beganMinutesAgo = ({ _id }: { _id: string }, minutes: number) =>
  changeAccount(identityCaller(), _id, { deleted_at: minutesAgo(minutes) });

test('a deletion that broke off is ended by the sweep, once no request of that time can still run', async () => {
  const account = await halfDeleted();
  await sweep();
  expect(await current(account)).toMatchObject({ email: account.email, erased_at: null });
  await beganMinutesAgo(account, 2);
  await sweep();
  expect(await current(account)).toMatchObject({ email: 'deleted', name: null, password_hash: null, erased_at: expect.any(Date) });
  expect([await membershipsAcross(account._id), await sessionsOf(account._id)]).toEqual([[], []]);
  expect((await stolenDatabase()).includes(account.email)).toBe(false);
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
