import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { platformLimits } from '@webkiln/standing/settings';
import mongoose from 'mongoose';
import { changeAccount, findOrCreateAccount } from '../accounts/account-store.ts';
import { identityCaller } from '../identity-caller.ts';
import { apiKeyOf, authKeys, newMember, newOrganization, refusal, service, useIdentity } from '../testing/running-identity.ts';
import { MailAdmission } from './mail-admission.ts';
import { MailConsents } from './mail-consents.ts';

useIdentity();

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
  const account = await findOrCreateAccount(identityCaller(), member, null);
  await changeAccount(identityCaller(), account._id, { email_verified: true });
  await changeAccount(identityCaller(), (await findOrCreateAccount(identityCaller(), invited, null))._id, { email_verified: true });
  expect((await find(org, member)).state).toBe('agreed');
  expect((await find(org, invited)).state).toBe('unasked');
  expect((await find(org, newAddress(), true)).state).toBe('agreed');
  await changeAccount(identityCaller(), account._id, { email_verified: false });
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
  const foreign = (await new MailConsents({ ...authKeys, secrets: ['b'.repeat(32)] }).find({ org_id: org, email, isClients: false })).token;
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
