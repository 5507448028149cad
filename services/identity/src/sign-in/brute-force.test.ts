import { randomUUID } from 'node:crypto';
import { unscoped } from '@webkiln/store';
import { useTestStore } from '@webkiln/store/testing';
import { ownCaller } from '../auth/own-caller.ts';
import { killReplica, type Replica, startReplica } from '../testing/start-replica.ts';
import { signIn } from './sign-in.ts';
import { TriesModel } from './tries-store.ts';

const origin = 'http://localhost';
const mostFailures = 20;
const password = 'correct horse battery';
const newEmail = () => `${randomUUID()}@example.com`;

useTestStore();

let replicas: Replica[] = [];
beforeAll(async () => {
  replicas = await Promise.all([startReplica(origin), startReplica(origin)]);
});
afterAll(() => Promise.all(replicas.map(killReplica)));

/** The status of a try to sign in at one of the replicas. */
async function attempt({ port }: Replica, email: string, given: string, address: string = randomUUID()): Promise<number> {
  const headers = { 'content-type': 'application/json', origin, 'x-webkiln-client-address': address };
  const body = JSON.stringify({ email, password: given });
  return (await fetch(`http://127.0.0.1:${port}/api/auth/sign-in/email`, { method: 'POST', headers, body })).status;
}

/** Fifteen tries at each replica, at both at the same time; their statuses, in order of size. */
async function fifteenAtEach(attemptAt: (replica: Replica) => Promise<number>): Promise<number[]> {
  const atOne = async (replica: Replica) => {
    const statuses: number[] = [];
    for (let tried = 0; tried < 15; tried++) statuses.push(await attemptAt(replica));
    return statuses;
  };
  return (await Promise.all(replicas.map(atOne))).flat().sort();
}

const twentyThenNone = [...Array(mostFailures).fill(401), ...Array(10).fill(429)];
const counts = async () => (await unscoped(TriesModel).find({})).map(({ failed_at }) => failed_at.length);
const newAccount = async () => (await signIn(ownCaller(), { email: newEmail(), name: 'Ada', password })).email;

beforeEach(() => unscoped(TriesModel).deleteMany({}));

test('of thirty wrong passwords for an account, at two replicas at once, twenty are looked at, and then not even the right one', async () => {
  const email = await newAccount();
  expect(await fifteenAtEach((replica) => attempt(replica, email, 'wrong password'))).toEqual(twentyThenNone);
  // The account's own count, and one for each address that got as far as its password.
  expect((await counts()).sort((a, b) => b - a)).toEqual([mostFailures, ...Array(mostFailures).fill(1)]);
  for (const replica of replicas) expect(await attempt(replica, email, password)).toBe(429);
});

test('of thirty wrong passwords from one address, for as many accounts, twenty are looked at, and another address is let in', async () => {
  const email = await newAccount();
  expect(await fifteenAtEach((replica) => attempt(replica, newEmail(), 'wrong password', 'one'))).toEqual(twentyThenNone);
  expect(Math.max(...(await counts()))).toBe(mostFailures);
  for (const replica of replicas) {
    expect(await attempt(replica, email, password, 'one')).toBe(429);
    expect(await attempt(replica, email, password, 'another')).toBe(200);
  }
});
