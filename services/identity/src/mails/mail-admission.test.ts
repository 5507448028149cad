import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { platformLimits } from '@webkiln/standing/settings';
import mongoose from 'mongoose';
import { changeAccount, findOrCreateAccount } from '../accounts/account-store.ts';
import { identityCaller } from '../identity-caller.ts';
import { insertSession } from '../sessions/session-store.ts';
import { apiKeyOf, authKeys, newOrganization, operator, service, useIdentity } from '../testing/running-identity.ts';
import { MailAdmission } from './mail-admission.ts';

useIdentity();

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
  const account = await findOrCreateAccount(identityCaller(), email, null);
  await changeAccount(identityCaller(), account._id, { email_verified: true });
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
  await findOrCreateAccount(identityCaller(), invited, null);
  await verifiedAccount(verified);
  const each = [stranger, invited, verified].map((recipient) => admitted(20, recipient, { purpose: 'form', org_id: randomUUID() }));
  expect(await Promise.all(each)).toEqual([3, 3, 6]);
});

test('strangers in many networks cannot use up the mails of a recipient who asks from a network with a session', async () => {
  const recipient = newAddress();
  const { _id: account_id } = await verifiedAccount(recipient);
  const home = '198.51.100.0/24';
  await insertSession(identityCaller(), { ...sessionFields(), account_id, ip_prefix: home }, []);
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
  ['an operator', operator()],
  ['an API key', apiKeyOf('org')],
])('%s cannot count mails', async (_who, caller) => {
  await expect(call('identity.AdmitMail', { mail_id: 'x', recipient: newAddress(), purpose: 'form' }, caller)).rejects.toMatchObject({
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
