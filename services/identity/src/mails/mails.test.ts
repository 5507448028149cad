import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { closeEvents, connectEvents, startRelay } from '@webkiln/events';
import { ownStream, removeStream } from '@webkiln/events/testing';
import { mailerFor } from '@webkiln/mail';
import { admitAll } from '@webkiln/mail/testing';
import { platformLimits, serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { unscoped } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { accountByEmail, changeAccount, findOrCreateAccount } from '../accounts/account-store.ts';
import { organizationById, saveOrganization } from '../organizations/organization-store.ts';
import { onAccountMail } from '../reactions/on-account-mail.ts';
import { insertSession } from '../sessions/session-store.ts';
import {
  apiKeyOf,
  authKeys,
  eventsAnswer,
  newMember,
  newOrganization,
  operator,
  present,
  refusal,
  service,
  sessionOf,
  useIdentity,
} from '../testing/running-identity.ts';
import { killReplica, type Replica, startReplica } from '../testing/start-replica.ts';
import { stolenDatabase } from '../testing/stolen-database.ts';
import { AccountMailModel, AccountMailStore } from './account-mail-store.ts';
import { MailAdmission } from './mail-admission.ts';
import { MailConsents } from './mail-consents.ts';
import { askedByRecipient, type CountedMail, countMail, type MailToCount, mailsOfDay } from './mail-count-store.ts';

describe('mails', () => {
  useIdentity();

  describe('mails of a recipient', () => {
    const limits = { mails: { perHour: 3, perDay: 10 }, agreedForms: { perHour: 6, perDay: 12 } };
    const ample = { ...platformLimits, QUOTA_MAILS_NEW: 1_000 };
    const admission = new MailAdmission(authKeys, limits, ample);
    const newAddress = () => `Ada-${randomUUID()}@example.com`;

    async function admitted(
      times: number,
      recipient: string,
      more: { purpose?: string; network?: string; org_id?: string } = {},
    ): Promise<number> {
      const mails = Array.from({ length: times }, () =>
        admission.admit({ id: randomUUID(), org_id: '', recipient, purpose: 'invitation', ...more }),
      );
      return (await Promise.all(mails)).filter(Boolean).length;
    }

    async function verifiedAccount(email: string) {
      const account = await findOrCreateAccount(serviceCaller('identity'), email, null);
      await changeAccount(serviceCaller('identity'), account._id, { email_verified: true });
      return account;
    }

    test('of 50 concurrent mails to one recipient exactly three are sent, in any spelling of the address', async () => {
      const recipient = newAddress();
      expect(await admitted(50, recipient)).toBe(3);
      expect(await admitted(5, recipient.toUpperCase())).toBe(0);
    });

    test('the limit holds over all organizations, and a redelivered mail stays admitted', async () => {
      const recipient = newAddress();
      const send = (org_id: string, mail_id: string) =>
        call('identity.AdmitMail', { mail_id, recipient, purpose: 'invitation' }, service('sites', org_id));
      const ids = Array.from({ length: 5 }, () => randomUUID());
      const first: boolean[] = [];
      for (const id of ids) first.push((await send(randomUUID(), id)).admitted);
      expect(first).toEqual([true, true, true, false, false]);
      expect((await send(randomUUID(), ids[0] ?? '')).admitted).toBe(true);
    });

    test('form mails have the wider limit only at a verified account', async () => {
      const [stranger, invited, verified] = [newAddress(), newAddress(), newAddress()];
      await findOrCreateAccount(serviceCaller('identity'), invited, null);
      await verifiedAccount(verified);
      const each = [stranger, invited, verified].map((recipient) => admitted(20, recipient, { purpose: 'form', org_id: randomUUID() }));
      expect(await Promise.all(each)).toEqual([3, 3, 6]);
    });

    test('strangers in many networks cannot use up the mails of a recipient who asks from a network with a session', async () => {
      const recipient = newAddress();
      const { _id: account_id } = await verifiedAccount(recipient);
      const home = '198.51.100.0/24';
      await insertSession(serviceCaller('identity'), { ...sessionFields(), account_id, ip_prefix: home }, []);
      for (let network = 0; network < 10; network++) await admitted(5, recipient, { purpose: 'reset', network: `203.0.${network}.0/24` });
      expect(await admitted(1, recipient, { purpose: 'reset', network: '192.0.2.0/24' })).toBe(0);
      expect(await admitted(1, recipient, { purpose: 'reset', network: home })).toBe(1);
    });

    test('mails of a suspended organization are dropped; mails about accounts are not, and neither is what follows when it is resumed', async () => {
      const org = await newOrganization();
      const admits = async (org_id: string) =>
        admission.admit({ id: randomUUID(), recipient: newAddress(), purpose: 'invitation', org_id });
      await call('identity.SuspendOrganization', {}, operator(org));
      expect([await admits(org), await admits(''), await admits(await newOrganization())]).toEqual([false, true, true]);
      await call('identity.ResumeOrganization', {}, operator(org));
      expect(await admits(org)).toBe(true);
    });

    test('neither addresses nor networks are stored', async () => {
      const recipient = newAddress();
      await admitted(1, recipient, { network: '203.0.113.0/24' });
      const stored = JSON.stringify(await mongoose.connection.collection('mail_counts').find({}).toArray());
      expect(stored).not.toContain(recipient.toLowerCase());
      expect(stored).not.toContain('203.0.113');
    });

    test.each([
      ['an operator', () => operator()],
      ['an API key', () => apiKeyOf('org')],
    ])('%s cannot count mails', async (_who, caller) => {
      await expect(call('identity.AdmitMail', { mail_id: 'x', recipient: newAddress(), purpose: 'form' }, caller())).rejects.toMatchObject({
        code: 'permission_missing',
      });
    });

    const sessionFields = () => ({
      _id: randomUUID(),
      token_hash: randomUUID(),
      org_id: '',
      membership_kind: null,
      membership_id: null,
      user_agent: '',
      created_at: new Date(),
      updated_at: new Date(),
      expires_at: new Date(Date.now() + 3600_000),
      ended_at: null,
    });
  });

  describe('mails of an organization', () => {
    const dayMs = 24 * 3600_000;
    const settings = { ...platformLimits, QUOTA_MAILS: 7, QUOTA_MAILS_NEW: 4 };

    /** Admission that counts for an organization `days` after its creation. */
    async function inOrganization(org_id: string, days: number) {
      const { created_at } = present(await organizationById(org_id));
      const now = new Date(created_at.getTime() + days * dayMs);
      const limits = { mails: { perHour: 3, perDay: 10 }, agreedForms: { perHour: 6, perDay: 12 } };
      const admission = new MailAdmission(authKeys, limits, settings, () => now);
      const admit = (id: string = randomUUID(), recipient = `${randomUUID()}@example.com`) =>
        admission.admit({ id, org_id, recipient, purpose: 'invitation' });
      return {
        admit,
        admitted: async (count: number) => (await Promise.all(Array.from({ length: count }, () => admit()))).filter(Boolean).length,
        assertMailsLeft: () => admission.assertMailsLeft(org_id),
        used: () => mailsOfDay(org_id, now),
      };
    }

    test.each([
      ['in its first 72 hours', 2.99, 4],
      ['afterwards', 3, 7],
    ])('of 50 concurrent mails of an organization %s exactly as many are sent as its quota allows', async (_when, days, limit) => {
      const mails = await inOrganization(await newOrganization(), days);
      expect(await mails.admitted(50)).toBe(limit);
      expect(await mails.used()).toBe(limit);
      expect(await mails.admitted(5)).toBe(0);
    });

    test('what exists to send a mail is refused with the quota, its limit and what is used; the next day has mails again', async () => {
      const org = await newOrganization();
      const mails = await inOrganization(org, 0);
      await mails.assertMailsLeft();
      await mails.admitted(4);
      await expect(mails.assertMailsLeft()).rejects.toMatchObject({
        code: 'quota_exceeded',
        message: expect.stringContaining('your organization may have 4 mails a day and has 4'),
      });
      const nextDay = await inOrganization(org, 1);
      await nextDay.assertMailsLeft();
      expect(await nextDay.admitted(50)).toBe(4);
    });

    test('a redelivered mail counts once and stays admitted, on the next day, too', async () => {
      const org = await newOrganization();
      const mails = await inOrganization(org, 0);
      const [id, recipient] = [randomUUID(), `${randomUUID()}@example.com`];
      for (let attempt = 0; attempt < 5; attempt++) expect(await mails.admit(id, recipient)).toBe(true);
      expect(await mails.used()).toBe(1);
      expect(await mails.admitted(50)).toBe(3);
      expect(await mails.admit(id, recipient)).toBe(true);
      const nextDay = await inOrganization(org, 0.99);
      expect(await nextDay.admit(id, recipient)).toBe(true);
      expect((await mails.used()) + (await (await inOrganization(org, 1)).used())).toBe(4);
    });

    test('a mail that its recipient is not sent costs the organization nothing', async () => {
      const mails = await inOrganization(await newOrganization(), 4);
      const recipient = `${randomUUID()}@example.com`;
      for (let count = 0; count < 6; count++) await mails.admit(randomUUID(), recipient);
      expect(await mails.used()).toBe(3);
    });

    test('an organization without mails left does not use up those of its recipients', async () => {
      const mails = await inOrganization(await newOrganization(), 0);
      await mails.admitted(4);
      const recipient = `${randomUUID()}@example.com`;
      for (let count = 0; count < 6; count++) expect(await mails.admit(randomUUID(), recipient)).toBe(false);
      const other = await inOrganization(await newOrganization(), 0);
      expect(await other.admit(randomUUID(), recipient)).toBe(true);
    });

    test('the operator’s own limit counts in the first 72 hours, too, and for one organization', async () => {
      const org = await newOrganization();
      await call('identity.SetLimit', { name: 'mails', limit: 9 }, operator(org));
      expect(await (await inOrganization(org, 0)).admitted(50)).toBe(9);
      expect(await (await inOrganization(await newOrganization(), 0)).admitted(50)).toBe(4);
    });

    test('a new organization sees its smaller limit', async () => {
      const { limits } = await call('identity.GetLimits', {}, operator(await newOrganization()));
      expect(limits.find(({ name }) => name === 'mails')).toMatchObject({ limit: 20, default: 20, overridden: false });
    });

    test('sites of clients who joined by a link cause a tenth of the mails of a day together; the organization has the rest', async () => {
      const org = await newOrganization();
      await call('identity.SetLimit', { name: 'mails', limit: 20 }, operator(org));
      const admit = async (joined_by_link: boolean, mail_id = randomUUID() as string) => {
        const mail = { mail_id, recipient: `${randomUUID()}@example.com`, purpose: 'form', joined_by_link };
        return (await call('identity.AdmitMail', mail, service('sites', org))).admitted;
      };
      const admitted = async (count: number, joined: boolean) =>
        (await Promise.all(Array.from({ length: count }, () => admit(joined)))).filter(Boolean).length;
      const first = randomUUID();
      expect(await admit(true, first)).toBe(true);
      expect(await admitted(10, true)).toBe(1);
      expect(await admit(true, first)).toBe(true);
      expect(await admitted(30, false)).toBe(18);
    });

    test('services count a mail against the organization that they act for; beyond its quota members are not invited', async () => {
      const org = await newOrganization();
      const owner = await sessionOf(org, await newMember(org, 'owner'), 'owner');
      const invite = () => call('accounts.InviteMember', { email: `${randomUUID()}@example.com`, role: 'viewer' }, owner);
      await call('identity.SetLimit', { name: 'mails', limit: 1 }, operator(org));
      await invite();
      const mail = { mail_id: randomUUID(), recipient: `${randomUUID()}@example.com`, purpose: 'invitation' };
      expect(await call('identity.AdmitMail', mail, service('sites', org))).toEqual({ admitted: true });
      expect(await call('identity.AdmitMail', { ...mail, mail_id: randomUUID() }, service('sites', org))).toEqual({ admitted: false });
      for (const refused of [invite, () => call('identity.CheckMailQuota', {}, service('clients-plans', org))]) {
        await expect(refused()).rejects.toMatchObject({ code: 'quota_exceeded' });
      }
    });
  });

  test('an organization’s mails are in the language of the recipient’s account, else in the organization’s, else in English', async () => {
    const org = await newOrganization();
    const email = `${randomUUID()}@example.com`;
    const languageFor = async (recipient: string) =>
      (await call('identity.GetBrand', { recipient }, service('clients-plans', org))).language;
    expect(await languageFor(email)).toBe('en');
    const organization = present(await organizationById(org));
    await saveOrganization(serviceCaller('identity'), organization, { language: 'fr' });
    expect([await languageFor(email), await languageFor('')]).toEqual(['fr', 'fr']);
    const { _id } = await findOrCreateAccount(serviceCaller('identity'), email, null);
    expect(await languageFor(email)).toBe('fr');
    await changeAccount(serviceCaller('identity'), _id, { language: 'de' });
    expect(await languageFor(email.toUpperCase())).toBe('de');
  });

  describe('consents to form mails', () => {
    const dayMs = 24 * 3600_000;
    const newAddress = () => `Desk-${randomUUID()}@example.com`;
    const find = (org: string, recipient: string, is_clients = false) =>
      call('identity.GetMailConsent', { recipient, is_clients }, service('sites', org));
    const admit = async (org: string, recipient: string, purpose: string) =>
      (await call('identity.AdmitMail', { mail_id: randomUUID(), recipient, purpose }, service('sites', org))).admitted;
    const gateway = () => service('gateway');
    const open = async (token: string) => (await call('identity.OpenMailConsent', { token }, gateway())).state;
    const answer = (token: string, agrees: boolean) => call('identity.AnswerMailConsent', { token, agrees }, gateway());

    test('an address agrees by the link that it was mailed, in any spelling, for one organization alone', async () => {
      const [org, other, email] = [await newOrganization(), await newOrganization(), newAddress()];
      expect((await find(org, email)).state).toBe('unasked');
      expect(await admit(org, email, 'consent')).toBe(true);
      const { state, token } = await find(org, email);
      expect(state).toBe('asked');
      expect([await open(token), await open(token), (await find(org, email)).state]).toEqual(['asked', 'asked', 'asked']);
      expect(await answer(token, true)).toEqual({ org_id: org, state: 'agreed' });
      expect((await find(org, email.toUpperCase())).state).toBe('agreed');
      expect((await find(other, email)).state).toBe('unasked');
    });

    test('clients and verified members receive form mails without being asked; unverified ones do not', async () => {
      const [org, member, invited] = [await newOrganization(), newAddress(), newAddress()];
      await newMember(org, 'developer', member);
      const account = await findOrCreateAccount(serviceCaller('identity'), member, null);
      await changeAccount(serviceCaller('identity'), account._id, { email_verified: true });
      await changeAccount(serviceCaller('identity'), (await findOrCreateAccount(serviceCaller('identity'), invited, null))._id, {
        email_verified: true,
      });
      expect((await find(org, member)).state).toBe('agreed');
      expect((await find(org, invited)).state).toBe('unasked');
      expect((await find(org, newAddress(), true)).state).toBe('agreed');
      await changeAccount(serviceCaller('identity'), account._id, { email_verified: false });
      expect((await find(org, member)).state).toBe('unasked');
    });

    test('a withdrawal counts for clients, too, stops form mails at once, and can be undone by the same link', async () => {
      const [org, email] = [await newOrganization(), newAddress()];
      const { token } = await find(org, email, true);
      for (let repeat = 0; repeat < 2; repeat++) expect((await answer(token, false)).state).toBe('withdrawn');
      expect((await find(org, email, true)).state).toBe('withdrawn');
      expect(await admit(org, email, 'form')).toBe(false);
      expect(await admit(org, email, 'invitation')).toBe(true);
      await answer(token, true);
      expect(await admit(org, email, 'form')).toBe(true);
    });

    test('concurrent answers to one link all succeed', async () => {
      const { token } = await find(await newOrganization(), newAddress());
      const answers = await Promise.all(Array.from({ length: 20 }, () => answer(token, false)));
      expect(answers.map(({ state }) => state)).toEqual(Array.from({ length: 20 }, () => 'withdrawn'));
    });

    test('forged and expired links answer nothing: 7 days for the question, a year below a mail', async () => {
      const [org, email] = [await newOrganization(), newAddress()];
      const { token } = await find(org, email);
      const foreign = (await new MailConsents({ ...authKeys, secrets: ['b'.repeat(32)] }).find({ org_id: org, email, isClients: false }))
        .token;
      for (const forged of ['', 'nonsense', `${token}A`, token.slice(0, -1), foreign]) {
        await expect(open(forged)).rejects.toEqual(refusal('link_invalid'));
        await expect(answer(forged, true)).rejects.toEqual(refusal('link_invalid'));
      }
      const issuedBefore = (days: number) => new MailConsents(authKeys, () => new Date(Date.now() - days * dayMs));
      for (const [isClients, days, works] of [
        [false, 6.9, true],
        [false, 7.1, false],
        [true, 364, true],
        [true, 366, false],
      ] as const) {
        const old = await issuedBefore(days).find({ org_id: org, email: newAddress(), isClients });
        const answered = await answer(old.token, false).then(
          () => true,
          () => false,
        );
        expect([isClients, days, answered]).toEqual([isClients, days, works]);
      }
      expect((await find(org, email)).state).toBe('unasked');
    });

    test('an address that agreed has the wider limits of form mails; one that was asked does not', async () => {
      const org = await newOrganization();
      const limits = { mails: { perHour: 3, perDay: 10 }, agreedForms: { perHour: 6, perDay: 12 } };
      const admission = new MailAdmission(authKeys, limits, { ...platformLimits, QUOTA_MAILS_NEW: 1_000 });
      const admitted = async (recipient: string) => {
        const mails = Array.from({ length: 10 }, () => admission.admit({ id: randomUUID(), org_id: org, recipient, purpose: 'form' }));
        return (await Promise.all(mails)).filter(Boolean).length;
      };
      const [agreed, asked] = [newAddress(), newAddress()];
      await answer((await find(org, agreed)).token, true);
      await admit(org, asked, 'consent');
      expect([await admitted(agreed), await admitted(asked)]).toEqual([6, 3]);
    });

    test('no address is stored', async () => {
      const [org, email] = [await newOrganization(), newAddress()];
      await answer((await find(org, email)).token, true);
      const stored = JSON.stringify(await mongoose.connection.collection('mail_consents').find({ org_id: org }).toArray());
      expect(stored).toContain('agreed');
      expect(stored.toLowerCase()).not.toContain(email.toLowerCase());
    });

    test('an API key can neither read nor answer for a recipient', async () => {
      const org = await newOrganization();
      const { token } = await find(org, newAddress());
      await expect(call('identity.AnswerMailConsent', { token, agrees: true }, apiKeyOf(org))).rejects.toEqual(
        refusal('permission_missing'),
      );
      const asking = call('identity.GetMailConsent', { recipient: newAddress(), is_clients: true }, apiKeyOf(org));
      await expect(asking).rejects.toEqual(refusal('permission_missing'));
    });
  });
});

describe('mail count', () => {
  const limits = { perHour: 3, perDay: 10 };
  const hourMs = 3600_000;
  const start = Date.parse('2026-01-01T00:00:00Z');

  /** One recipient's count; `take` tells whether a mail is admitted, `at` in hours. */
  function recipient() {
    let counted: readonly CountedMail[] = [];
    let count = 0;
    return {
      take(mail: Partial<MailToCount> = {}, at = 0): boolean {
        const id = `mail ${++count}`;
        const taken = countMail(
          counted,
          { id, purpose: 'reset', asked_by: '', agreed: false, ...mail },
          limits,
          new Date(start + at * hourMs),
        );
        counted = taken ?? counted;
        return taken !== null;
      },
      size: () => counted.length,
    };
  }
  const taken = (times: number, take: (index: number) => boolean) =>
    Array.from({ length: times }, (_, index) => take(index)).filter(Boolean).length;

  test('a recipient gets three mails of one purpose in an hour, and three more in the next', () => {
    const { take } = recipient();
    expect(taken(20, () => take())).toBe(3);
    expect(take({}, 0.99)).toBe(false);
    expect(taken(20, () => take({}, 1))).toBe(3);
  });

  test('a recipient gets ten mails in a day, whatever their purposes; the count stays bounded', () => {
    const { take, size } = recipient();
    expect(taken(40, (index) => take({ purpose: `purpose ${index}` }))).toBe(10);
    expect(taken(40, (index) => take({ purpose: `purpose ${index}` }, 23.9))).toBe(0);
    expect(taken(40, (index) => take({ purpose: `purpose ${index}` }, 24))).toBe(10);
    expect(size()).toBe(10);
  });

  test('whatever others ask for, mails that the recipient asks for are sent', () => {
    const { take } = recipient();
    for (let index = 0; index < 100; index++) take({ asked_by: `network ${index % 7}`, purpose: `purpose ${index % 5}` });
    expect(take({ asked_by: askedByRecipient, purpose: 'purpose 1' })).toBe(true);
  });

  test('one network does not use up what another one may ask for', () => {
    const { take } = recipient();
    expect(taken(20, () => take({ asked_by: 'attacker' }))).toBe(2);
    expect(take({ asked_by: 'a new place of the recipient' })).toBe(true);
  });

  test('a mail is counted once, however often it is attempted, and stays admitted', () => {
    const { take } = recipient();
    expect(taken(20, () => take({ id: 'one mail' }))).toBe(20);
    expect(taken(20, () => take())).toBe(2);
    expect(take({ id: 'one mail' })).toBe(true);
  });

  test('form mails to a recipient who agreed are counted apart from all others', () => {
    const { take } = recipient();
    expect(taken(20, () => take({ purpose: 'form', agreed: true }))).toBe(3);
    expect(taken(20, () => take({ purpose: 'form' }))).toBe(3);
  });
});

describe('sign in mails', () => {
  const origin = 'http://localhost';
  const password = 'correct horse battery';
  const confirmLink = /http:\/\/localhost\/confirm-email\?token=[\w.-]+/;
  const newEmail = () => `${randomUUID()}@example.com`;

  const stream = ownStream();

  afterAll(async () => {
    await closeEvents();
    await removeStream(stream.stream);
  });
  useTestStore();

  let replica: Replica;
  let mailFolder: string;
  beforeAll(async () => {
    mailFolder = mkdtempSync(path.join(tmpdir(), 'webkiln-mails-'));
    replica = await startReplica(origin);
  });
  afterAll(async () => {
    await killReplica(replica);
    rmSync(mailFolder, { recursive: true });
  });

  async function ask(route: string, body: object, { port } = replica): Promise<number> {
    const headers = { 'content-type': 'application/json', origin, 'x-webkiln-client-address': randomUUID() };
    return (await fetch(`http://127.0.0.1:${port}/api/auth${route}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  }

  const signUp = (email: string, at = replica) => ask('/sign-up/email', { name: 'Ada', email, password }, at);
  const kept = () => unscoped(AccountMailModel).find({});

  test('requesting a mail costs one write, whether or not the account exists', async () => {
    const known = newEmail();
    await signUp(known);
    for (const [route, body] of [
      ['/request-password-reset', { email: known }],
      ['/request-password-reset', { email: newEmail() }],
      ['/send-verification-email', { email: known }],
      ['/send-verification-email', { email: newEmail() }],
      ['/sign-up/email', { name: 'Eve', email: known, password }],
      ['/sign-up/email', { name: 'Eve', email: newEmail(), password }],
    ] as const) {
      const before = new Set((await kept()).map(({ _id }) => _id));
      expect(await ask(route, body)).toBe(200);
      expect([route, (await kept()).filter(({ _id }) => !before.has(_id)).length]).toEqual([route, 1]);
    }
  });

  test('if the process is killed as it responds, another one sends the mail once; meanwhile the database does not reveal its link', async () => {
    const email = newEmail();
    const doomed = await startReplica(origin);
    expect(await signUp(email, doomed)).toBe(200);
    await killReplica(doomed);
    const stolen = (await stolenDatabase()).toString('latin1');
    expect(stolen).toContain(email);
    expect(stolen).not.toContain('confirm-email?token=');

    await connectEvents(process.env.NATS_URL ?? '', 'identity', stream);
    await eventsAnswer();
    startRelay();
    const from = { name: 'Webkiln', address: 'webkiln@example.com' };
    onAccountMail({ mails: new AccountMailStore(['a'.repeat(32)]), mailer: mailerFor({ MAIL_DIR: mailFolder }, admitAll), from, origin });
    const mails = () => readdirSync(mailFolder).filter((name) => name.endsWith(`-${email}.eml`));
    await until(async () => mails().length > 0);
    const [name = ''] = mails();
    const text = readFileSync(path.join(mailFolder, name), 'utf8').replaceAll('=\r\n', '').replaceAll('=3D', '=');
    const link = new URL(confirmLink.exec(text)?.[0] ?? '');
    expect(await ask('/confirm-email', { token: link.searchParams.get('token') })).toBe(200);
    expect(await ask('/sign-in/email', { email, password })).toBe(200);
    expect(mails()).toHaveLength(1);
    // The tests after it look at mails that nobody has sent yet.
    await closeEvents();
  });

  test('the link that confirms an address signs nobody in to an account with a second factor', async () => {
    const confirm = async (change: { two_factor?: boolean }) => {
      const email = newEmail();
      await signUp(email);
      const { _id } = (await accountByEmail(email)) ?? { _id: '' };
      await changeAccount(serviceCaller('identity'), _id, change);
      const mails = new AccountMailStore(['a'.repeat(32)]);
      const all = await Promise.all((await kept()).map((mail) => mails.find(mail._id)));
      const url = all.find((mail) => mail?.email === email && mail.purpose === 'verify')?.link?.url ?? '';
      const headers = { 'content-type': 'application/json', origin, 'x-webkiln-client-address': randomUUID() };
      const body = JSON.stringify({ token: new URL(url).searchParams.get('token') });
      const answer = await fetch(`http://127.0.0.1:${replica.port}/api/auth/confirm-email`, { method: 'POST', headers, body });
      return [answer.status, answer.headers.getSetCookie().length > 0, (await accountByEmail(email))?.email_verified];
    };
    expect(await confirm({ two_factor: true })).toEqual([200, false, true]);
    expect(await confirm({})).toEqual([200, true, true]);
  });

  test('a mail that somebody asked for names their network, and one that only its owner can cause names none', async () => {
    const email = newEmail();
    await signUp(email);
    const { _id } = (await accountByEmail(email)) ?? { _id: '' };
    await changeAccount(serviceCaller('identity'), _id, { email_verified: true });
    const mails = new AccountMailStore(['a'.repeat(32)]);
    const headers = { 'content-type': 'application/json', origin, 'x-webkiln-client-address': '203.0.113.7' };
    const post = (route: string, body: object) =>
      fetch(`http://127.0.0.1:${replica.port}/api/auth${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const mailsOf = async (purpose: string) => {
      const all = await Promise.all((await kept()).map((mail) => mails.find(mail._id)));
      return all.filter((mail) => mail?.email === email && mail.purpose === purpose);
    };
    expect((await post('/request-password-reset', { email })).status).toBe(200);
    const [reset] = await mailsOf('reset');
    expect(reset).toMatchObject({ network: '203.0.113.0/24' });
    const token = new URL(reset?.link?.url ?? '').searchParams.get('token');
    expect((await post('/reset-password', { token, newPassword: 'another correct horse' })).status).toBe(200);
    const [notice] = await mailsOf('notice');
    expect(notice).toMatchObject({ subject: 'Your password was changed' });
    expect(notice).not.toHaveProperty('network');
  });

  test('a mail is in the language of its recipient’s account, which is the browser’s at first', async () => {
    const email = newEmail();
    const mails = new AccountMailStore(['a'.repeat(32)]);
    const askIn = async (language: string, route: string, body: object) => {
      const headers = { 'content-type': 'application/json', origin, 'x-webkiln-client-address': randomUUID(), 'accept-language': language };
      const url = `http://127.0.0.1:${replica.port}/api/auth${route}`;
      expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status).toBe(200);
    };
    await askIn('de-AT, en;q=0.5', '/sign-up/email', { name: 'Ada', email, password });
    await askIn('fr', '/request-password-reset', { email });
    const { _id, language } = (await accountByEmail(email)) ?? { _id: '' };
    expect(language).toBe('de');
    await changeAccount(serviceCaller('identity'), _id, { language: 'es' });
    await askIn('fr', '/request-password-reset', { email });
    const all = await Promise.all((await kept()).map((mail) => mails.find(mail._id)));
    const told = all.flatMap((mail) => (mail?.email === email ? [`${mail.language}: ${mail.subject}`] : []));
    expect(told.toSorted()).toEqual([
      'de: Bestätigen Sie Ihre E-Mail-Adresse',
      'de: Wählen Sie ein neues Passwort',
      'es: Elija una contraseña nueva',
    ]);
  });

  test('an expired mail is not sent', async () => {
    const mails = new AccountMailStore(['a'.repeat(32)]);
    await mails.save({ purpose: 'notice', email: newEmail(), subject: 'Late', about: 'Late.' }, -1);
    const late = (await kept()).find(({ expires_at }) => expires_at < new Date());
    expect(await mails.find(late?._id ?? '')).toBeNull();
  });
});
