import { randomUUID } from 'node:crypto';
import { serviceCaller } from '@webkiln/messages';
import { signer } from '@webkiln/sealing';
import { useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { claimAccount } from '../accounts/claim-account.ts';
import { MailConsents } from '../mails/mail-consents.ts';
import { Agent } from '../oauth/testing/agent.ts';
import { origin } from '../oauth/testing/browser.ts';
import { killReplica, startReplica } from '../testing/start-replica.ts';
import { stolenDatabase } from '../testing/stolen-database.ts';
import { loadAuthKeys } from './auth-keys.ts';
import { resigning } from './cookies.ts';

useTestStore();

describe('the key of digests', () => {
  const [old, fresh] = ['a'.repeat(32), 'b'.repeat(32)];
  const recipient = { org_id: 'an organization', email: 'ada@example.com', isClients: false };

  test('replicas that start at once share one key of digests, which is the first secret, in the database only as sealed text', async () => {
    const loaded = await Promise.all(Array.from({ length: 8 }, () => loadAuthKeys([old])));
    for (const { digestMaster } of loaded) expect(Buffer.from(digestMaster).toString()).toBe(old);
    expect((await stolenDatabase()).includes(old)).toBe(false);
  });

  test('a withdrawn consent is found after its secret has gone, but a link that this signed is not opened any more', async () => {
    const before = new MailConsents(await loadAuthKeys([old]));
    const { token } = await before.find(recipient);
    await before.answer(token, false);
    const during = new MailConsents(await loadAuthKeys([fresh, old]));
    expect((await during.open(token)).state).toBe('withdrawn');
    const after = new MailConsents(await loadAuthKeys([fresh]));
    expect((await after.find(recipient)).state).toBe('withdrawn');
    await expect(after.open(token)).rejects.toMatchObject({ code: 'link_invalid' });
  });

  test('replicas with either order open and reseal the key, and one that lists neither secret does not start', async () => {
    const orders = [[fresh, old], [old, fresh], [old], [old, fresh], [fresh, old], [fresh]] as const;
    for (const secrets of orders) expect(Buffer.from((await loadAuthKeys(secrets)).digestMaster).toString()).toBe(old);
    await expect(loadAuthKeys([old])).rejects.toThrow('list the former secret behind the new one');
    expect(Buffer.from((await loadAuthKeys([fresh])).digestMaster).toString()).toBe(old);
  });
});

describe('cookies and links', () => {
  const [old, fresh, other] = ['a'.repeat(32), 'b'.repeat(32), 'c'.repeat(32)];
  const name = '__Host-webkiln_session';
  const cookieBy = (secret: string) => encodeURIComponent(`token.${signer([secret], 'base64').sign('token')}`);
  const linkBy = (secret: string) => `head.claims.${signer([secret]).sign('head.claims')}`;
  const { cookies, query } = resigning([fresh, old]);

  test('a cookie that a listed secret signed is signed by the first one; others and unknown ones stay as they are', () => {
    expect(cookies(`a=b; ${name}=${cookieBy(old)}; c=d=e`)).toBe(`a=b; ${name}=${cookieBy(fresh)}; c=d=e`);
    expect(cookies(`${name}=${cookieBy(fresh)}`)).toBe(`${name}=${cookieBy(fresh)}`);
    for (const same of [`${name}=${cookieBy(other)}`, `foreign=${cookieBy(old)}`, `${name}=%E0%A4%A`, `${name}`, ''])
      expect(cookies(same)).toBe(same);
  });

  test('the token of a mailed link is signed by the first secret; a query without such a token stays as it is', () => {
    expect(query(`?token=${linkBy(old)}&callbackURL=%2Fhome`)).toBe(`?token=${linkBy(fresh)}&callbackURL=%2Fhome`);
    for (const same of [`?token=${linkBy(other)}&b=%20`, '?token=plain', '']) expect(query(same)).toBe(same);
  });

  test('what was signed by a secret that is no longer listed is not signed again', () => {
    expect(resigning([fresh]).cookies(`${name}=${cookieBy(old)}`)).toBe(`${name}=${cookieBy(old)}`);
    expect(resigning([fresh, other]).query(`?token=${linkBy(old)}`)).toBe(`?token=${linkBy(old)}`);
  });
});

describe('second factors', () => {
  const password = 'correct horse battery';
  const [old, fresh] = [`old:${'a'.repeat(32)}`, `fresh:${'b'.repeat(32)}`];

  const post = (browser: Agent, path: string, body: object) =>
    browser.send(`/api/auth${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { origin, 'content-type': 'application/json' },
    });

  /** Runs `work` at a replica with these secrets. */
  async function at<T>(AUTH_SECRET: string, work: (port: number) => Promise<T>, settings = {}): Promise<T> {
    const replica = await startReplica(origin, { AUTH_SECRET, ...settings });
    return work(replica.port).finally(() => killReplica(replica));
  }

  /** An account with a second factor, and its backup codes. */
  async function enroll(port: number) {
    const { _id, email } = await claimAccount(serviceCaller('identity'), { email: `${randomUUID()}@example.com`, name: 'Ada', password });
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
});
