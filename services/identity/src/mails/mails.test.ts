import { randomUUID } from 'node:crypto';
import { platformLimits, serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import mongoose from 'mongoose';
import { changeAccount, findOrCreateAccount } from '../accounts/account-store.ts';
import { organizationById, saveOrganization } from '../organizations/organization-store.ts';
import { insertSession } from '../sessions/session-store.ts';
import {
  apiKeyOf,
  authKeys,
  newMember,
  newOrganization,
  operator,
  present,
  refusal,
  service,
  sessionOf,
  useIdentity,
} from '../testing/running-identity.ts';
import { MailAdmission } from './mail-admission.ts';
import { MailConsents } from './mail-consents.ts';
import { mailsOfDay } from './mail-count-store.ts';

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
    const admits = async (org_id: string) => admission.admit({ id: randomUUID(), recipient: newAddress(), purpose: 'invitation', org_id });
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
  const languageFor = async (recipient: string) => (await call('identity.GetBrand', { recipient }, service('clients-plans', org))).language;
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
    await expect(call('identity.AnswerMailConsent', { token, agrees: true }, apiKeyOf(org))).rejects.toEqual(refusal('permission_missing'));
    const asking = call('identity.GetMailConsent', { recipient: newAddress(), is_clients: true }, apiKeyOf(org));
    await expect(asking).rejects.toEqual(refusal('permission_missing'));
  });
});
