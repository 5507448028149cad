import { randomUUID } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import { serviceCaller } from '@webkiln/messages';
import { signer } from '@webkiln/sealing';
import { unscoped } from '@webkiln/store';
import { useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { claimAccount } from '../accounts/claim-account.ts';
import { AccountMailModel, AccountMailStore } from '../mails/account-mail-store.ts';
import { MailConsents } from '../mails/mail-consents.ts';
import { Agent } from '../oauth/testing/agent.ts';
import { origin } from '../oauth/testing/browser.ts';
import { noOrganization } from '../sessions/session.ts';
import { insertSession, liveSessions } from '../sessions/session-store.ts';
import { killReplica, type Replica, startReplica } from '../testing/start-replica.ts';
import { stolenDatabase } from '../testing/stolen-database.ts';
import { loadAuthKeys } from './auth-keys.ts';
import { resigning } from './cookies.ts';
import { currentRequest, type HashTurn } from './current-request.ts';
import { defaultPasswordCost, hashPassword, inHashTurn, passwordMatches, usePasswordCost } from './password.ts';
import { challengeTable } from './tables/challenge-store.ts';

useTestStore();

describe('password', () => {
  describe('hashes', () => {
    // Made with @better-auth/utils 0.5.0: hashPassword('correct horse ﬁne battery').
    const fromBetterAuth =
      '0e5eeba1e10d09f4b46d63c787332b27:4f3da46fb0d6b56f7a958eb7492dd1b166c87df4e3697e8770e47e76d87601af746f5c66ec2d38f5f2aea66566d30672f7598e014bdecc74d847919ece8e8a9d';

    test('a hash made by better-auth is accepted, and its password matches in any Unicode normalization form', async () => {
      expect(await passwordMatches('correct horse ﬁne battery', fromBetterAuth)).toBe(true);
      expect(await passwordMatches('correct horse fine battery', fromBetterAuth)).toBe(true);
      expect(await passwordMatches('correct horse fine batterz', fromBetterAuth)).toBe(false);
    });

    test('a hash has the format that better-auth reads', async () => {
      const hash = await hashPassword('a password');
      expect(hash).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
      expect(await passwordMatches('a password', hash)).toBe(true);
    });

    test('a password matches its hash after the cost of new ones was raised or lowered, and a hash cannot state another cost', async () => {
      const before = await hashPassword('a password');
      usePasswordCost(defaultPasswordCost - 2);
      const after = await hashPassword('a password');
      usePasswordCost(defaultPasswordCost);
      expect(await Promise.all([before, after].map((hash) => passwordMatches('a password', hash)))).toEqual([true, true]);
      expect(await passwordMatches('a password', after.replace(/:\d+$/, ''))).toBe(false);
      expect(await passwordMatches('another password', after)).toBe(false);
    });

    test('hashing the same password twice gives different hashes', async () => {
      expect(await hashPassword('a password')).not.toBe(await hashPassword('a password'));
    });

    test.each(['', ':', 'nonsense', `${'0'.repeat(32)}:`, `${'0'.repeat(32)}:00`])(
      'no password matches the malformed hash %p',
      async (hash) => {
        expect(await passwordMatches('a password', hash)).toBe(false);
      },
    );

    const requestOf = (key: string, rank: HashTurn['rank'] = 'stranger') => ({
      path: '/sign-in/email',
      network: '192.0.2.0/24',
      turn: { key, rank },
    });

    /** Hashes that end when the test says so. */
    class Hashes {
      /** The keys of hashes that have begun. */
      readonly begun: string[] = [];
      readonly #ends: (() => void)[] = [];
      readonly #all: Promise<void>[] = [];

      wait(count: number, key: string, rank?: HashTurn['rank']): void {
        const hash = () => {
          this.begun.push(key);
          return new Promise<void>((resolve) => this.#ends.push(resolve));
        };
        for (let at = 0; at < count; at++) this.#all.push(currentRequest.run(requestOf(key, rank), () => inHashTurn(hash)));
      }

      /** Ends one after the other, the one that began first. */
      async endAll(): Promise<void> {
        for (await nextTick(); this.#ends.length > 0; await nextTick()) this.#ends.shift()?.();
        await Promise.all(this.#all);
      }
    }

    test('while many attempts at one account wait for a hash, that of another account begins at once, and others in turn', async () => {
      const hashes = new Hashes();
      hashes.wait(16, 'attacked');
      hashes.wait(2, 'b');
      hashes.wait(1, 'c');
      await hashes.endAll();
      expect(hashes.begun.slice(0, 5)).toEqual(['attacked', 'b', 'attacked', 'b', 'c']);
      expect(hashes.begun).toHaveLength(19);
    });

    test('a known device overtakes strangers, and strangers overtake attempts at an attacked account', async () => {
      const hashes = new Hashes();
      for (const key of ['a', 'b', 'c']) hashes.wait(8, key, 'slowed');
      for (const key of ['d', 'e']) hashes.wait(2, key, 'stranger');
      hashes.wait(1, 'f', 'known');
      await hashes.endAll();
      expect(hashes.begun.slice(0, 7)).toEqual(['a', 'b', 'f', 'd', 'e', 'd', 'e']);
      expect(hashes.begun).toHaveLength(29);
    });

    test('beyond its places an account is refused, as the refusal of its request, before a hash; other accounts are not', async () => {
      const hashes = new Hashes();
      hashes.wait(17, 'attacked');
      const request = requestOf('attacked');
      await expect(currentRequest.run(request, () => hashPassword('a password'))).rejects.toMatchObject({ code: 'overloaded' });
      expect(request).toMatchObject({ refusal: { code: 'overloaded', status: 503 } });
      expect(await currentRequest.run(requestOf('other'), () => hashPassword('a password'))).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
      await hashes.endAll();
    });
  });

  describe('new passwords', () => {
    const origin = 'http://localhost';
    const password = 'correct horse battery';

    let replica: Replica;
    beforeAll(async () => {
      replica = await startReplica(origin);
    });
    afterAll(() => killReplica(replica));

    function ask(route: string, body: object, cookie = '', network: string = randomUUID()): Promise<Response> {
      const headers = { 'content-type': 'application/json', origin, cookie, 'x-webkiln-client-address': network };
      return fetch(`http://127.0.0.1:${replica.port}/api/auth${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
    }

    const newAccount = () => claimAccount(serviceCaller('identity'), { email: `${randomUUID()}@example.com`, name: 'Ada', password });
    const live = async (account_id: string) => (await liveSessions({ account_id }, 1000)).length;
    const times = () => ({ created_at: new Date(), updated_at: new Date(), expires_at: new Date(Date.now() + 3600_000) });

    async function newSession(account_id: string): Promise<void> {
      const [_id, token_hash] = [randomUUID(), randomUUID()];
      await insertSession(
        serviceCaller('identity'),
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
  });
});

describe('secret rotation', () => {
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
});
