import { randomUUID } from 'node:crypto';
import { serviceCaller } from '@webkiln/messages';
import { unscoped } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import { claimAccount } from '../../accounts/claim-account.ts';
import { killReplica, type Replica, startReplica } from '../../testing/start-replica.ts';
import { authRoutes } from '../http/auth-routes.ts';
import { AttemptGate } from './attempt-gate.ts';
import { beginAttempt } from './begin-attempt.ts';
import { knownDevices } from './known-devices.ts';
import { LoginAttemptModel } from './login-attempt-store.ts';
import { countAccountAttempt, countAttempt, delayMs, maxAccountFailures } from './login-attempts.ts';

useTestStore();

describe('counts', () => {
  const start = new Date('2026-01-01T00:00:00Z');
  const after = (ms: number) => new Date(start.getTime() + ms);
  const minutes = 60_000;
  const limited = expect.objectContaining({ code: 'rate_limited' });
  const tried = (times: readonly Date[], max = 20) => times.reduce<Date[]>((failed, at) => countAttempt(failed, at, max), []);

  test.each([10, 20])('after %i failed attempts within ten minutes the next is refused until the first is ten minutes old', (max) => {
    const all = tried(
      Array.from({ length: max }, (_, second) => after(second * 1000)),
      max,
    );
    expect(() => countAttempt(all, after(10 * minutes - 1), max)).toThrow(limited);
    expect(countAttempt(all, after(10 * minutes), max)).toHaveLength(max);
    expect(() => countAttempt(countAttempt(all, after(10 * minutes), max), after(10 * minutes), max)).toThrow(limited);
  });

  test('failures outside the window are dropped, so that the record does not grow', () => {
    expect(tried([start, after(minutes), after(20 * minutes)])).toEqual([after(20 * minutes)]);
  });

  test('failures of an account over all networks refuse nobody, and the newest are kept', () => {
    const times = Array.from({ length: 1000 }, (_, at) => after(at));
    const kept = times.reduce<readonly Date[]>((failed, at) => countAccountAttempt(failed, at), []);
    expect(kept).toHaveLength(maxAccountFailures);
    const later = countAccountAttempt(kept, after(minutes));
    expect([later.length, later.at(-1)]).toEqual([maxAccountFailures, after(minutes)]);
  });

  test('an account is slowed by failures from other networks alone, up to ten seconds', () => {
    expect([delayMs(5, 5), delayMs(6, 5), delayMs(9, 2), delayMs(40, 1)]).toEqual([0, 1000, 7000, 10_000]);
  });
});

describe('known devices', () => {
  const devices = knownDevices(['a'.repeat(32)]);
  const sentBack = (setCookie: string) => setCookie.split(';', 1)[0] ?? '';
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000);

  test('a device is known to the account that it signed in to, in any case of the email, and to no other', () => {
    const cookie = sentBack(devices.remember(undefined, 'Ada@example.com', new Date()));
    expect(devices.find(`a=b; ${cookie}; c=d`, 'ada@example.com')).toEqual(expect.any(String));
    expect(devices.find(cookie, 'eve@example.com')).toBeUndefined();
    expect(cookie).not.toContain('ada');
  });

  test('a browser is a known device of five accounts at most, and keeps its id for each', () => {
    let cookie = '';
    for (let at = 0; at < 7; at++) cookie = sentBack(devices.remember(cookie, `${at}@example.com`, new Date()));
    expect([0, 1, 2, 3, 4, 5, 6].map((at) => devices.find(cookie, `${at}@example.com`) !== undefined)).toEqual([
      ...[false, false],
      ...[true, true, true, true, true],
    ]);
    const id = devices.find(cookie, '4@example.com');
    expect(devices.find(sentBack(devices.remember(cookie, '4@example.com', new Date())), '4@example.com')).toBe(id);
  });

  test('a device is forgotten after 90 days, by a new secret, and by a change of its cookie', () => {
    const cookieOf = (at: Date) => sentBack(devices.remember(undefined, 'ada@example.com', at));
    expect(devices.find(cookieOf(daysAgo(89)), 'ada@example.com')).toEqual(expect.any(String));
    expect(devices.find(cookieOf(daysAgo(91)), 'ada@example.com')).toBeUndefined();
    expect(devices.find(cookieOf(daysAgo(2)), 'ada@example.com', daysAgo(1))).toBeUndefined();
    expect(devices.find(cookieOf(daysAgo(1)), 'ada@example.com', daysAgo(2))).toEqual(expect.any(String));
    expect(knownDevices(['b'.repeat(32)]).find(cookieOf(new Date()), 'ada@example.com')).toBeUndefined();
    expect(devices.find(cookieOf(new Date()).replace('=', '=x'), 'ada@example.com')).toBeUndefined();
  });

  test('a device stays known while the secret that signed its proof is listed, and a sign-in then renews it under the first', () => {
    const [old, both, fresh] = [devices, knownDevices(['b'.repeat(32), 'a'.repeat(32)]), knownDevices(['b'.repeat(32)])];
    const cookie = sentBack(old.remember(undefined, 'ada@example.com', new Date()));
    const renewed = sentBack(both.remember(cookie, 'ada@example.com', new Date()));
    expect(both.find(cookie, 'ada@example.com')).toBe(old.find(cookie, 'ada@example.com'));
    expect(fresh.find(renewed, 'ada@example.com')).toBe(old.find(cookie, 'ada@example.com'));
    expect(fresh.find(cookie, 'ada@example.com')).toBeUndefined();
  });

  test('scripts and other hosts cannot read the cookie', () => {
    expect(devices.remember(undefined, 'a@b.test', new Date())).toMatch(/^__Host-\w+=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  });
});

describe('the gate', () => {
  const maxWaitingPerAccount = 8;
  const devices = knownDevices(['a'.repeat(32)]);
  const subjects = () => unscoped(LoginAttemptModel).count({}, 1_000);

  /** An account that other networks have tried so often that each attempt waits the longest. */
  async function attackedAccount(): Promise<string> {
    const email = `${randomUUID()}@example.com`;
    for (let tried = 0; tried < 11; tried++) await beginAttempt(serviceCaller('identity'), [], { email, from: { network: randomUUID() } });
    return email;
  }

  test('an attempt that an attacked account has no place for is refused before it is counted; others are admitted meanwhile', async () => {
    const route = authRoutes['POST /sign-in/email'];
    if (route === undefined) throw new Error('no route');
    const gate = new AttemptGate(devices);
    const end = new AbortController();
    const admit = (email: string, cookies?: string) =>
      gate.admit(route, { email }, { address: randomUUID(), session: '', cookies }, end.signal);
    const email = await attackedAccount();
    const before = await subjects();
    const refusals: unknown[] = [];
    const attack = Array.from({ length: 30 }, () => admit(email).catch((error) => refusals.push(error.code)));
    await until(() => refusals.length === attack.length - maxWaitingPerAccount);
    expect(new Set(refusals)).toEqual(new Set(['rate_limited']));
    // Each that waits is counted by its network, and by its network at the account.
    expect(await subjects()).toBe(before + 2 * maxWaitingPerAccount);
    const cookies = devices.remember(undefined, email, new Date()).split(';', 1)[0];
    expect((await admit(email, cookies)).turn.rank).toBe('known');
    expect((await admit(`${randomUUID()}@example.com`)).turn.rank).toBe('stranger');
    end.abort();
    await Promise.all(attack);
  });
});

describe('brute force', () => {
  const origin = 'http://localhost';
  const maxOfAddress = 20;
  const maxOfNetwork = 10;
  const password = 'correct horse battery';
  const newEmail = () => `${randomUUID()}@example.com`;

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
  const newAccount = async () => (await claimAccount(serviceCaller('identity'), { email: newEmail(), name: 'Ada', password })).email;

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
    const succeed = async () => (await beginAttempt(serviceCaller('identity'), [subject])).uncount();
    for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: maxOfAddress }, succeed));
    const [counted] = await unscoped(LoginAttemptModel).find({});
    expect(counted?.failed_at).toEqual([]);
  });
});
