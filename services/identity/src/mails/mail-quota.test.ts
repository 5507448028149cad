import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { platformLimits } from '@webkiln/standing/settings';
import { organizationById } from '../organizations/organization-store.ts';
import { authKeys, newMember, newOrganization, operator, present, service, sessionOf, useIdentity } from '../testing/running-identity.ts';
import { MailAdmission } from './mail-admission.ts';
import { mailsOfDay } from './mail-count-store.ts';

useIdentity();

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
