import { randomUUID } from 'node:crypto';
import { unscoped } from '@webkiln/store';
import { useTestStore } from '@webkiln/store/testing';
import { claimAccount } from '../accounts/claim-account.ts';
import { killReplica, type Replica, startReplica } from '../testing/start-replica.ts';
import { identityCaller } from './identity-caller.ts';
import { LoginAttemptModel } from './login-attempt-store.ts';

const origin = 'http://localhost';
const maxFailedAttempts = 20;
const password = 'correct horse battery';
const newEmail = () => `${randomUUID()}@example.com`;

useTestStore();

let replicas: Replica[] = [];
beforeAll(async () => {
  replicas = await Promise.all([startReplica(origin), startReplica(origin)]);
});
afterAll(() => Promise.all(replicas.map(killReplica)));

/** The status of a sign-in attempt at one replica. */
async function attempt({ port }: Replica, email: string, given: string, address: string = randomUUID()): Promise<number> {
  const headers = { 'content-type': 'application/json', origin, 'x-webkiln-client-address': address };
  const body = JSON.stringify({ email, password: given });
  return (await fetch(`http://127.0.0.1:${port}/api/auth/sign-in/email`, { method: 'POST', headers, body })).status;
}

/** Makes fifteen attempts at each replica, at both concurrently; returns the sorted statuses. */
async function fifteenAtEach(attemptAt: (replica: Replica) => Promise<number>): Promise<number[]> {
  const atOne = async (replica: Replica) => {
    const statuses: number[] = [];
    for (let tried = 0; tried < 15; tried++) statuses.push(await attemptAt(replica));
    return statuses;
  };
  return (await Promise.all(replicas.map(atOne))).flat().sort();
}

const twentyThenNone = [...Array(maxFailedAttempts).fill(401), ...Array(10).fill(429)];
const counts = async () => (await unscoped(LoginAttemptModel).find({})).map(({ failed_at }) => failed_at.length);
const newAccount = async () => (await claimAccount(identityCaller(), { email: newEmail(), name: 'Ada', password })).email;

beforeEach(() => unscoped(LoginAttemptModel).deleteMany({}));

test('of thirty wrong passwords for one account at two replicas, twenty are checked; then even the right one is refused', async () => {
  const email = await newAccount();
  expect(await fifteenAtEach((replica) => attempt(replica, email, 'wrong password'))).toEqual(twentyThenNone);
  // One count for the account, and one for each address whose password was checked.
  expect((await counts()).sort((a, b) => b - a)).toEqual([maxFailedAttempts, ...Array(maxFailedAttempts).fill(1)]);
  for (const replica of replicas) expect(await attempt(replica, email, password)).toBe(429);
});

test('of thirty wrong passwords from one address for thirty accounts, twenty are checked; other addresses are not limited', async () => {
  const email = await newAccount();
  expect(await fifteenAtEach((replica) => attempt(replica, newEmail(), 'wrong password', 'one'))).toEqual(twentyThenNone);
  expect(Math.max(...(await counts()))).toBe(maxFailedAttempts);
  for (const replica of replicas) {
    expect(await attempt(replica, email, password, 'one')).toBe(429);
    expect(await attempt(replica, email, password, 'another')).toBe(200);
  }
});
