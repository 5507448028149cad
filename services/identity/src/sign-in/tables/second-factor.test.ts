import { randomUUID } from 'node:crypto';
import { useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { claimAccount } from '../../accounts/claim-account.ts';
import { identityCaller } from '../../identity-caller.ts';
import { Agent } from '../../oauth/testing/agent.ts';
import { origin } from '../../oauth/testing/browser.ts';
import { killReplica, startReplica } from '../../testing/start-replica.ts';

useTestStore();

const password = 'correct horse battery';
const [old, fresh] = [`old:${'a'.repeat(32)}`, `fresh:${'b'.repeat(32)}`];

const post = (browser: Agent, path: string, body: object) =>
  browser.send(`/api/auth${path}`, { method: 'POST', body: JSON.stringify(body), headers: { origin, 'content-type': 'application/json' } });

/** Runs `work` at a replica with these secrets. */
async function at<T>(AUTH_SECRET: string, work: (port: number) => Promise<T>, settings = {}): Promise<T> {
  const replica = await startReplica(origin, { AUTH_SECRET, ...settings });
  return work(replica.port).finally(() => killReplica(replica));
}

/** An account with a second factor, and its backup codes. */
async function enroll(port: number) {
  const { _id, email } = await claimAccount(identityCaller(), { email: `${randomUUID()}@example.com`, name: 'Ada', password });
  const browser = new Agent(port);
  await post(browser, '/sign-in/email', { email, password });
  const { backupCodes } = (await (await post(browser, '/two-factor/enable', { password })).json()) as { backupCodes: string[] };
  // As if a code of the app had been entered.
  await mongoose.connection.collection('second_factors').updateOne({ account_id: _id }, { $set: { verified: true } });
  await mongoose.connection.collection<{ _id: string }>('accounts').updateOne({ _id }, { $set: { two_factor: true } });
  return { _id, email, backupCodes };
}

async function signIn(port: number, { email, backupCodes }: Awaited<ReturnType<typeof enroll>>): Promise<number> {
  const browser = new Agent(port);
  await post(browser, '/sign-in/email', { email, password });
  return (await post(browser, '/two-factor/verify-backup-code', { code: backupCodes.pop() })).status;
}

/** Copies of a second factor that sort before it, more than are read at once. */
async function addOthers(account_id: string): Promise<void> {
  const factors = mongoose.connection.collection<{ _id: string }>('second_factors');
  const factor = await factors.findOne({ account_id });
  await factors.insertMany(Array.from({ length: 120 }, (_, at) => ({ ...factor, _id: ` ${at}`, account_id: `other ${at}` })));
}

test('a second factor works without the secret that sealed it, once it was used or resealed while both were listed', async () => {
  const [used, idle] = await at(old, async (port) => [await enroll(port), await enroll(port)] as const);
  await addOthers(idle._id);
  const both = `${fresh},${old}`;
  expect(await at(both, (port) => signIn(port, used))).toBe(200);
  await at(fresh, async (port) => {
    expect(await signIn(port, used)).toBe(200);
    expect(await signIn(port, idle)).not.toBe(200);
  });
  await at(both, async () => undefined, { RESEAL: 'true' });
  expect(await at(fresh, (port) => signIn(port, idle))).toBe(200);
});
