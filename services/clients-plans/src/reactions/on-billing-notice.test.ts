import { type Mailer, mailerFor } from '@webkiln/mail';
import { type MailServer, startMailServer } from '@webkiln/mail/testing';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { clock } from '../billing/clock.ts';
import { saveCard, tellOfExpiringCards } from '../billing/payments/payment-store.ts';
import { expiryOf } from '../billing/payments/provider.ts';
import { renewDue } from '../billing/renewals.ts';
import { present } from '../testing/expectations.ts';
import { useIdentity } from '../testing/identity-process.ts';
import { newClient, newPlan } from '../testing/records.ts';
import { newOrganization, ownerOf, useClientsPlans } from '../testing/running-service.ts';
import { allHandled } from '../testing/test-stream.ts';
import { onBillingNotice } from './on-billing-notice.ts';

let server: MailServer;
let mailer: Mailer;

afterAll(async () => {
  mailer.close();
  await server.close();
});
const identity = useIdentity();
const stream = useClientsPlans(identity.address);
beforeAll(async () => {
  server = await startMailServer();
  mailer = mailerFor({ SMTP_URL: server.url }, async () => true);
  onBillingNotice({ mailer, from: { name: 'Kiln', address: 'hello@kiln.example' }, origin: 'https://kiln.example' });
});

const days = (count: number) => new Date(Date.now() + count * 86_400_000);
const subjectsTo = async (email: string) => {
  await allHandled(stream, 'clients-plans-billing-mail', ['internal.billing.notice', 'payment.received']);
  return server.received.filter(({ to }) => to === email).map(({ message }) => /^Subject: (.*)$/m.exec(message)?.[1]?.trim());
};
const mailsTo = (email: string) => server.received.filter(({ to }) => to === email).map(({ message }) => message);

/** A client of an organization that mails its clients, with a priced plan and its first order. */
async function orderedPlan(mails_clients = true) {
  const [org, email] = [await identity.organization('Harbour Studio'), `${newOrganization()}@example.com`];
  await call('billing.UpdatePaymentSettings', { mails_clients, update_mask: ['mails_clients'] }, ownerOf(org));
  await newClient(org, { email, name: 'Ada', plan_id: await newPlan(org) });
  const { orders } = await call('billing.ListOrders', { offset: 0 }, testCaller(org));
  const set = (status: string) =>
    call('billing.UpdateOrder', { order_id: present(orders[0]).id, status, update_mask: ['status'] }, testCaller(org));
  return { org, email, order: present(orders[0]), set };
}

test('a client is mailed its invoice with a link, and a receipt once it is paid', async () => {
  const { email, order, set } = await orderedPlan();
  expect(await subjectsTo(email)).toEqual(['Your invoice from Harbour Studio']);
  expect(mailsTo(email)[0]).toContain('$19.90');
  expect(mailsTo(email)[0]?.replaceAll('=\r\n', '')).toContain(new URL(order.invoice_url ?? '').pathname);
  await set('paid');
  expect(await subjectsTo(email)).toEqual(['Your invoice from Harbour Studio', 'Your payment to Harbour Studio']);
});

test('a client is mailed in its agency’s language while its own is not known, with sums and days as that writes them', async () => {
  const [org, email] = [await identity.organization('Harbour Studio'), `${newOrganization()}@example.com`];
  await identity.setLanguage(org, 'de');
  await call('billing.UpdatePaymentSettings', { mails_clients: true, update_mask: ['mails_clients'] }, ownerOf(org));
  await newClient(org, { email, name: 'Ada', plan_id: await newPlan(org) });
  expect(await subjectsTo(email)).toEqual(['Ihre Rechnung von Harbour Studio']);
  const mail = mailsTo(email)[0]?.replaceAll('=\r\n', '').replaceAll('=C2=A0', ' ').replaceAll('=C3=BC', 'ü').replaceAll('=C3=A4', 'ä');
  expect(mail).toMatch(/Hier ist Ihre Rechnung über 19,90 \$\. Sie ist am \d+\. [A-Z]\S+ \d{4} fällig\./);
});

test('a declined payment, each reminder and the end are mailed', async () => {
  const { email, set } = await orderedPlan();
  await subjectsTo(email);
  await set('failed');
  await subjectsTo(email);
  for (const day of [4, 6, 8]) {
    await renewDue(days(day));
    await subjectsTo(email);
  }
  expect(await subjectsTo(email)).toEqual([
    'Your invoice from Harbour Studio',
    'Your payment to Harbour Studio failed',
    'Your invoice from Harbour Studio is overdue',
    'Your invoice from Harbour Studio is overdue',
    'Your plan at Harbour Studio has ended',
  ]);
});

test('without the setting nobody is mailed', async () => {
  const { email, set } = await orderedPlan(false);
  await set('paid');
  expect(await subjectsTo(email)).toEqual([]);
});

test('what was paid by the time of sending is not asked for', async () => {
  const { org, email, set } = await orderedPlan(false);
  await set('paid');
  await call('billing.UpdatePaymentSettings', { mails_clients: true, update_mask: ['mails_clients'] }, ownerOf(org));
  expect(await subjectsTo(email)).not.toContain('Your invoice from Harbour Studio');
});

describe('14 days before a year ends the client is mailed', () => {
  /** A client whose year is paid, in an organization that adds 20 % tax. */
  async function paidYear(clients_may_cancel: boolean) {
    const [org, email] = [await identity.organization('Harbour Studio'), `${newOrganization()}@example.com`];
    const fields = { mails_clients: true, clients_may_cancel, tax_rate: 20, tax_included: false };
    await call('billing.UpdatePaymentSettings', { ...fields, update_mask: Object.keys(fields) }, ownerOf(org));
    const plan_id = await newPlan(org, { name: 'Estate', price: 100, interval: 'yearly' });
    const client_id = await newClient(org, { email, name: 'Ada', plan_id });
    const { orders } = await call('billing.ListOrders', { offset: 0 }, testCaller(org));
    await call('billing.UpdateOrder', { order_id: present(orders[0]).id, status: 'paid', update_mask: ['status'] }, testCaller(org));
    const { subscription } = await call('billing.GetSubscription', { client_id }, testCaller(org));
    const end = new Date(present(subscription).period_end);
    const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(end);
    return { org, email, client_id, day, before: new Date(end.getTime() - 10 * 86_400_000) };
  }
  /** The receipt of the year comes before it or after it. */
  const renewalMailTo = (email: string) => {
    const texts = mailsTo(email).map((message) => message.replaceAll('=\r\n', '').replaceAll('\r\n', ' '));
    return texts.find((text) => text.includes('Subject: Your plan at Harbour Studio is renewed'));
  };

  test('the plan, its price with tax, the day and its page where it can end it, once', async () => {
    const { email, day, before } = await paidYear(true);
    await renewDue(before);
    await renewDue(before);
    const subjects = await subjectsTo(email);
    expect(subjects.filter((subject) => subject?.includes('is renewed'))).toEqual([`Your plan at Harbour Studio is renewed on ${day}`]);
    expect(renewalMailTo(email)).toContain(`Your plan Estate is renewed on ${day}. From then on it costs $120.00 a year.`);
    expect(renewalMailTo(email)).toContain('https://kiln.example/billing');
  });

  test('whom to tell, where it cannot end it itself', async () => {
    const { email, before } = await paidYear(false);
    await renewDue(before);
    await subjectsTo(email);
    expect(renewalMailTo(email)).toContain('If you do not want that, tell Harbour Studio before that day.');
    expect(renewalMailTo(email)).not.toContain('https://kiln.example/billing');
  });
});

test('a client is mailed three weeks before its card expires, once for a card, and not of one that it has changed', async () => {
  const [org, email] = [await identity.organization('Harbour Studio'), `${newOrganization()}@example.com`];
  await call('billing.UpdatePaymentSettings', { mails_clients: true, update_mask: ['mails_clients'] }, ownerOf(org));
  const client_id = await newClient(org, { email, name: 'Ada' });
  await mongoose.connection
    .collection<{ _id: string }>('billing_accounts')
    .updateOne({ _id: org }, { $set: { stripe_account: `acct_${org}`, stripe_ready: true } });
  const soon = days(10);
  const card = { payment_method: 'pm_1', brand: 'visa', last4: '4242', exp_month: soon.getUTCMonth() + 1, exp_year: soon.getUTCFullYear() };
  const save = (exp_year: number) =>
    saveCard({ org_id: org }, client_id, `acct_${org}`, { customer: 'cus_1' }, { ...card, customer: 'cus_1', exp_year });
  const tell = async () => {
    await tellOfExpiringCards({ org_id: org }, expiryOf({ ...card, customer: 'cus_1' }));
    return subjectsTo(email);
  };
  clock.now = () => new Date(expiryOf({ ...card, customer: 'cus_1' }).getTime() - 10 * 86_400_000);
  await save(card.exp_year + 3);
  expect(await tell()).toEqual([]);
  await save(card.exp_year);
  expect(await tell()).toEqual(['Your card for Harbour Studio expires']);
  await save(card.exp_year);
  expect(await tell()).toHaveLength(1);
  expect(mailsTo(email)[0]).toContain('4242');
});
