import { withNats } from '@webkiln/events/testing';
import { type Mailer, mailerFor } from '@webkiln/mail';
import { type MailServer, startMailServer } from '@webkiln/mail/testing';
import { call } from '@webkiln/rpc';
import { testCaller, until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { clock } from '../billing/clock.ts';
import { saveCard, tellOfExpiringCards } from '../billing/payments/payment-store.ts';
import { expiryOf } from '../billing/payments/provider.ts';
import { renewDue } from '../billing/renewals.ts';
import { present } from '../testing/expectations.ts';
import { useIdentity } from '../testing/identity-process.ts';
import { newClient, newPlan } from '../testing/records.ts';
import { activationPage, newOrganization, ownerOf, projectsTemplates, tokens, useClientsPlans } from '../testing/running-service.ts';
import { allHandled, published } from '../testing/test-stream.ts';
import { onBillingNotice } from './on-billing-notice.ts';
import { onClientInvited } from './on-client-invited.ts';

describe('on billing notice', () => {
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
    const card = {
      payment_method: 'pm_1',
      brand: 'visa',
      last4: '4242',
      exp_month: soon.getUTCMonth() + 1,
      exp_year: soon.getUTCFullYear(),
    };
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
});

describe('on client invited', () => {
  /** The activation link in a mail's text, after decoding quoted-printable (RFC 2045 §6.7). */
  function linkIn(message: string): URL {
    const text = message
      .replace(/=\r?\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    const link = /https?:\/\/\S+\/activate\?\S+/.exec(text)?.[0];
    if (link === undefined) throw new Error(`no activation link in ${message}`);
    return new URL(link);
  }

  const tokenIn = (message: string): string => linkIn(message).searchParams.get('token') ?? '';

  let server: MailServer;
  let mailer: Mailer;
  const overQuota = new Set<string>();

  afterAll(async () => {
    mailer.close();
    await server.close();
  });
  const identity = useIdentity();
  const stream = useClientsPlans(identity.address);
  beforeAll(async () => {
    server = await startMailServer();
    mailer = mailerFor({ SMTP_URL: server.url }, async ({ org_id }) => !overQuota.has(org_id));
    onClientInvited({ tokens, mailer, from: { name: 'Kiln', address: 'hello@kiln.example' }, origin: 'https://kiln.example' });
  });

  const newEmail = () => `${newOrganization()}@example.com`;
  const mailsTo = (email: string) => server.received.filter(({ to }) => to === email).map(({ message }) => message);
  const mailed = async (email: string, count: number) => {
    await until(() => mailsTo(email).length >= count);
    return mailsTo(email);
  };
  const eventsOf = async (org: string, type: 'client.created' | 'internal.client.invited') =>
    (await published<'client.created' | 'internal.client.invited'>(stream, type)).filter(({ org_id }) => org_id === org);

  const allMailed = (unhandled = 0) =>
    allHandled(stream, 'clients-plans-invitation-mail', ['client.created', 'internal.client.invited'], unhandled);

  const setStatus = (org: string, client_id: string, status: string) =>
    call('clients.UpdateClient', { client_id, status, update_mask: ['status'] }, testCaller(org));
  const accepting = (org_id: string, client_id: string) => ({
    token: tokens.issue({ org_id, client_id, invitation: 1 }, new Date()),
    password: 'correct horse battery',
  });

  test('a new client gets one mail, with a link for this invitation', async () => {
    const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
    const client_id = await newClient(org, { email, name: 'Ada' });
    const [message = ''] = await mailed(email, 1);
    expect(message).toContain(`<invitation.${client_id}.1@kiln.example>`);
    expect(message).toContain('From: Harbour Studio <hello@kiln.example>');
    expect(message).toContain('Subject: Harbour Studio has invited you');
    const link = linkIn(message);
    expect(link.origin + link.pathname).toBe('https://kiln.example/activate');
    expect(tokens.read(tokenIn(message), new Date())).toEqual({ org_id: org, client_id, invitation: 1 });
  });

  test('the organization as its own client gets no mail', async () => {
    const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
    await identity.member(org, email, 'correct horse battery');
    await call('clients.AdmitOwnClient', { email, actor: { kind: 'account', id: 'ada' } }, projectsTemplates(org));
    expect(await eventsOf(org, 'client.created')).toHaveLength(1);
    await allMailed();
    expect(mailsTo(email)).toEqual([]);
  });

  test('a redelivered invitation event is not mailed again', async () => {
    const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
    await newClient(org, { email });
    await mailed(email, 1);
    // The mail is out before it is noted that it is.
    await allMailed();
    const [event] = await eventsOf(org, 'client.created');
    await withNats((connection) => connection.jetstream().publish(`${stream.subjectPrefix}events.client.created`, JSON.stringify(event)));
    await allMailed();
    expect(mailsTo(email)).toHaveLength(1);
  });

  test('each resent invitation is one more mail, with a new link', async () => {
    const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
    const client_id = await newClient(org, { email });
    await mailed(email, 1);
    await call('clients.ResendInvitation', { client_id }, testCaller(org));
    const numbers = (await mailed(email, 2)).map((message) => tokens.read(tokenIn(message), new Date()).invitation);
    expect(numbers).toEqual([1, 2]);
  });

  test('a temporary refusal of the mail server is retried until it accepts the mail', async () => {
    const email = newEmail();
    server.refuse(email, '451 try again later');
    await newClient(await identity.organization('Harbour Studio'), { email });
    await until(() => server.offers(email) > 0);
    server.take(email);
    expect(await mailed(email, 1)).toHaveLength(1);
  });

  test('a permanent refusal of the mailbox is not retried', async () => {
    const email = newEmail();
    server.refuse(email, '550 no such mailbox');
    await newClient(await identity.organization('Harbour Studio'), { email });
    await allMailed();
    expect(server.offers(email)).toBe(1);
  });

  test('an invitation that was replaced before its mail was sent is not mailed', async () => {
    const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
    server.refuse(email, '451 try again later');
    const client_id = await newClient(org, { email });
    await until(() => server.offers(email) > 0);
    await call('clients.ResendInvitation', { client_id }, testCaller(org));
    // The second is refused as well: only the first can be handled, without a mail, before the server takes one.
    await allMailed(1);
    server.take(email);
    await allMailed();
    expect(mailsTo(email).map((message) => tokens.read(tokenIn(message), new Date()).invitation)).toEqual([2]);
  });

  test('a client that the agency made active meanwhile still gets its link', async () => {
    const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
    server.refuse(email, '451 try again later');
    const client_id = await newClient(org, { email });
    await until(() => server.offers(email) > 0);
    await setStatus(org, client_id, 'active');
    server.take(email);
    expect(await mailed(email, 1)).toHaveLength(1);
  });

  test.each([
    ['activated', (org: string, client_id: string) => call('clients.AcceptInvitation', accepting(org, client_id), activationPage())],
    ['suspended', setStatus],
    ['churned', setStatus],
  ])('a client that is %s by the time of sending gets no mail', async (status, change) => {
    const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
    server.refuse(email, '451 try again later');
    const client_id = await newClient(org, { email });
    await until(() => server.offers(email) > 0);
    await change(org, client_id, status);
    // The server refuses until the event is handled: an attempt that began before the change cannot mail.
    await allMailed();
    server.take(email);
    expect(mailsTo(email)).toEqual([]);
  });

  test('an invitation over the quota of mails ends without a mail', async () => {
    const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
    overQuota.add(org);
    await newClient(org, { email });
    await allMailed();
    overQuota.delete(org);
    expect(mailsTo(email)).toEqual([]);
  });

  test('no event contains the token', async () => {
    const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
    const client_id = await newClient(org, { email });
    await call('clients.ResendInvitation', { client_id }, testCaller(org));
    const [created, invited] = [await eventsOf(org, 'client.created'), await eventsOf(org, 'internal.client.invited')];
    expect(created.map(({ data }) => data)).toEqual([{ client: expect.objectContaining({ id: client_id, email }) }]);
    expect(invited.map(({ data }) => data)).toEqual([{ client_id, email, name: null, invitation: 2 }]);
    const [message = ''] = await mailed(email, 1);
    expect(JSON.stringify([created, invited])).not.toContain(tokenIn(message));
  });
});
