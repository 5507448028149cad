import { randomUUID } from 'node:crypto';
import { unscoped } from '@webkiln/store';
import { useTestStore } from '@webkiln/store/testing';
import { claimAccount } from '../../accounts/claim-account.ts';
import { identityCaller } from '../../identity-caller.ts';
import { killReplica, type Replica, startReplica } from '../../testing/start-replica.ts';
import { beginAttempt } from './begin-attempt.ts';
import { LoginAttemptModel } from './login-attempt-store.ts';

const origin = 'http://localhost';
const maxOfAddress = 20;
const maxOfNetwork = 10;
const password = 'correct horse battery';
const newEmail = () => `${randomUUID()}@example.com`;

useTestStore();

let replicas: Replica[] = [];
beforeAll(async () => {
  replicas = await Promise.all([startReplica(origin), startReplica(origin)]);
});
afterAll(() => Promise.all(replicas.map(killReplica)));

/** A sign-in attempt at one replica. */
function signIn({ port }: Replica, email: string, given: string, address: string = randomUUID(), more: RequestInit = {}) {
  const headers = { 'content-type': 'application/json', origin, 'x-webkiln-client-address': address, ...more.headers };
  const body = JSON.stringify({ email, password: given });
  return fetch(`http://127.0.0.1:${port}/api/auth/sign-in/email`, { method: 'POST', body, ...more, headers });
}
const attempt = async (...sent: Parameters<typeof signIn>): Promise<number> => (await signIn(...sent)).status;

/** Makes fifteen attempts at each replica, at both concurrently; returns the sorted statuses. */
async function fifteenAtEach(attemptAt: (replica: Replica) => Promise<number>): Promise<number[]> {
  const atOne = async (replica: Replica) => {
    const statuses: number[] = [];
    for (let tried = 0; tried < 15; tried++) statuses.push(await attemptAt(replica));
    return statuses;
  };
  return (await Promise.all(replicas.map(atOne))).flat().sort();
}

const thenNone = (max: number) => [...Array(max).fill(401), ...Array(30 - max).fill(429)];
const newAccount = async () => (await claimAccount(identityCaller(), { email: newEmail(), name: 'Ada', password })).email;

beforeEach(() => unscoped(LoginAttemptModel).deleteMany({}));

test.each(['an account', 'an unknown address'])(
  'of thirty wrong passwords for %s from one network at two replicas, ten are checked',
  async (which) => {
    const email = which === 'an account' ? await newAccount() : newEmail();
    expect(await fifteenAtEach((replica) => attempt(replica, email, 'wrong password', 'one'))).toEqual(thenNone(maxOfNetwork));
    for (const replica of replicas) expect(await attempt(replica, email, password, 'one')).toBe(429);
    // Answered late, but answered.
    const [replica] = replicas;
    if (replica !== undefined) expect(await attempt(replica, email, password, 'another')).toBe(which === 'an account' ? 200 : 401);
  },
);

test('of thirty wrong passwords from one address for thirty accounts, twenty are checked; other addresses are not limited', async () => {
  const email = await newAccount();
  expect(await fifteenAtEach((replica) => attempt(replica, newEmail(), 'wrong password', 'one'))).toEqual(thenNone(maxOfAddress));
  // The blocked address counts nowhere else, so the account is not even slowed.
  for (const replica of replicas) {
    for (let tried = 0; tried < 15; tried++) expect(await attempt(replica, email, password, 'one')).toBe(429);
    expect(await attempt(replica, email, password, 'another')).toBe(200);
  }
  const subjects = await unscoped(LoginAttemptModel).find({});
  expect(Math.max(...subjects.map(({ failed_at }) => failed_at.length))).toBe(maxOfAddress);
});

test('while a hundred networks try passwords, a device that signed in before gets in, and few attempts wait', async () => {
  const email = await newAccount();
  const [one, other] = replicas;
  if (one === undefined || other === undefined) throw new Error('no replica runs');
  const first = await signIn(one, email, password, 'home');
  const device = first.headers.getSetCookie().find((cookie) => cookie.startsWith('__Host-webkiln_devices='));
  const cookie = device?.split(';', 1)[0] ?? '';
  const attack = new AbortController();
  const statuses: number[] = [];
  const attacks = Array.from({ length: 200 }, (_, at) =>
    attempt(at % 2 === 0 ? one : other, email, 'wrong password', `network ${at % 100}`, { signal: attack.signal }).then(
      (status) => statuses.push(status),
      () => 0,
    ),
  );
  while (!statuses.includes(429)) await new Promise((resolve) => setTimeout(resolve, 5));
  for (const replica of [one, other]) expect(await attempt(replica, email, password, 'a new network', { headers: { cookie } })).toBe(200);
  // Its own failures count, apart from everybody else's.
  const own = () => attempt(one, email, 'wrong password', 'a new network', { headers: { cookie } });
  for (let tried = 0; tried < maxOfNetwork; tried++) expect(await own()).toBe(401);
  expect(await own()).toBe(429);
  attack.abort();
  await Promise.all(attacks);
  // 503: a machine that is too slow to count so many.
  expect(statuses.filter((status) => ![401, 429, 503].includes(status))).toEqual([]);
});

test('attempts that succeed count no longer, however many begin and end at once', async () => {
  const subject = { kind: 'address', of: randomUUID() } as const;
  const succeed = async () => (await beginAttempt(identityCaller(), [subject])).uncount();
  for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: maxOfAddress }, succeed));
  const [counted] = await unscoped(LoginAttemptModel).find({});
  expect(counted?.failed_at).toEqual([]);
});
