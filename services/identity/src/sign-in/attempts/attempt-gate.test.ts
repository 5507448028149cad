import { randomUUID } from 'node:crypto';
import { unscoped } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import { identityCaller } from '../../identity-caller.ts';
import { authRoutes } from '../http/auth-routes.ts';
import { AttemptGate } from './attempt-gate.ts';
import { beginAttempt } from './begin-attempt.ts';
import { knownDevices } from './known-devices.ts';
import { LoginAttemptModel } from './login-attempt-store.ts';

useTestStore();

const maxWaitingPerAccount = 8;
const devices = knownDevices(['a'.repeat(32)]);
const subjects = () => unscoped(LoginAttemptModel).count({}, 1_000);

/** An account that other networks have tried so often that each attempt waits the longest. */
async function attackedAccount(): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  for (let tried = 0; tried < 11; tried++) await beginAttempt(identityCaller(), [], { email, from: { network: randomUUID() } });
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
