import { type StripeMock, startStripeMock } from '@webkiln/fake-stripe/stripe-mock';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { present, refusal } from '../../testing/expectations.ts';
import { newClient, newPlan } from '../../testing/records.ts';
import { activationPage, newOrganization, ownerOf } from '../../testing/running-service.ts';
import { connectOrganization, openCheckout, payments, tokenOf, useStripe } from '../../testing/stripe.ts';
import { published } from '../../testing/test-stream.ts';
import { clock } from '../clock.ts';
import { renewDue } from '../renewals.ts';
import type { OrderState } from '../rules/order.ts';
import { chargeDue } from './charges.ts';
import { reconcileDue } from './provider-events.ts';
import { StripeProvider } from './stripe-provider.ts';

describe('providers', () => {
  const stripe = useStripe();
  const dayMs = 86_400_000;

  afterEach(() => {
    clock.now = () => new Date();
  });

  const ordersOf = async (org: string) => (await call('billing.ListOrders', { offset: 0 }, testCaller(org))).orders;
  const statusesOf = async (org: string) => (await ordersOf(org)).map(({ status }) => status);
  const record = (org: string, order_id: string, status: string) =>
    call('billing.UpdateOrder', { order_id, status, update_mask: ['status'] }, testCaller(org));
  const receivedOf = async (org: string) =>
    (await published(stripe.stream, 'payment.received')).filter(({ org_id }) => org_id === org).map(({ data }) => data.order.id);

  /** What a provider's clients and members do; each returns once it is recorded. */
  interface Acts {
    connect(org: string): Promise<void>;
    pay(org: string, order_id: string): Promise<void>;
    /** The payments of the renewals that are due are declined. */
    decline(org: string, client_id: string): Promise<void>;
    /** Pays whose card was declined. */
    payAgain(org: string, order_id: string): Promise<void>;
    /** Somebody tries to pay an order that was opened before and needs no payment any more. */
    payLate(org: string, order_id: string): Promise<void>;
    open(org: string, order_id: string): Promise<void>;
  }

  const manual: Acts = {
    connect: () => Promise.resolve(),
    pay: async (org, id) => void (await record(org, id, 'paid')),
    decline: async (org) => void (await record(org, present((await ordersOf(org))[0]).id, 'failed')),
    payAgain: async (org, id) => void (await record(org, id, 'paid')),
    open: () => Promise.resolve(),
    payLate: async (org, id) => void (await expect(record(org, id, 'paid')).rejects.toEqual(refusal('order_status_refused'))),
  };

  const accounts = new Map<string, string>();
  const sessions = new Map<string, string>();
  const payPage = async (org: string, id: string) => {
    expect(await stripe.server.payCheckout(sessions.get(id) ?? (await openCheckout(org, id)), 'visa')).toBe('complete');
    await stripe.server.settleDeliveries();
  };

  const byStripe: Acts = {
    connect: async (org) => void accounts.set(org, await connectOrganization(stripe, org)),
    pay: payPage,
    decline: async (org) => {
      const account = present(accounts.get(org));
      const [charge] = await stripe.server.charges(account);
      await stripe.server.setCard(account, present(charge?.customer), 'insufficient_funds');
      await stripe.server.settleDeliveries();
      await chargeDue(payments(stripe));
      await stripe.server.settleDeliveries();
    },
    payAgain: payPage,
    open: async (org, id) => void sessions.set(id, await openCheckout(org, id)),
    // The page is closed with the order.
    payLate: async (_org, id) => expect(await stripe.server.payCheckout(present(sessions.get(id)), 'visa')).toBe('expired'),
  };

  describe.each([
    ['manual', manual],
    ['stripe', byStripe],
  ] as const)('payments with the provider %s', (provider, acts) => {
    let org: string;
    let client_id: string;

    const first = async () => present((await ordersOf(org)).at(-1)).id;

    beforeEach(async () => {
      org = newOrganization();
      await acts.connect(org);
      client_id = await newClient(org, { email: 'ada@example.com', plan_id: await newPlan(org) });
    });

    test('a payment makes the client active and raises payment.received once, however often it is told of', async () => {
      const id = await first();
      await acts.pay(org, id);
      for (const { id: event } of await stripe.server.events(accounts.get(org) ?? null)) await stripe.server.resend(event);
      const [order] = await ordersOf(org);
      expect(order).toMatchObject({
        status: 'paid',
        provider,
        ...(provider === 'stripe' && { provider_ref: expect.stringMatching(/^pi_/) }),
      });
      expect(await receivedOf(org)).toEqual([id]);
      expect((await call('clients.GetClient', { client_id }, testCaller(org))).client).toMatchObject({ payment_status: 'active' });
    });

    test('a renewal that is declined makes the client past due, and a payment after that active again', async () => {
      await acts.pay(org, await first());
      clock.now = () => new Date(Date.now() + 32 * dayMs);
      await renewDue(clock.now());
      await acts.decline(org, client_id);
      const subscription = async () => present((await call('billing.GetSubscription', { client_id }, testCaller(org))).subscription);
      expect([await statusesOf(org), (await subscription()).status]).toEqual([['failed', 'paid'], 'past_due']);
      await acts.payAgain(org, present((await ordersOf(org))[0]).id);
      expect([await statusesOf(org), (await subscription()).status]).toEqual([['paid', 'paid'], 'active']);
      expect(await receivedOf(org)).toHaveLength(2);
    });

    test('a refund gives the money back once, and the subscription goes on', async () => {
      const id = await first();
      await acts.pay(org, id);
      await record(org, id, 'refunded');
      await record(org, id, 'refunded');
      await stripe.server.settleDeliveries();
      expect(await statusesOf(org)).toEqual(['refunded']);
      expect(present((await call('billing.GetSubscription', { client_id }, testCaller(org))).subscription).status).toBe('active');
      const { revenue } = await call('billing.GetRevenue', { months: 1 }, ownerOf(org));
      expect(present(revenue).months[0]).toMatchObject({ paid: 19.9, refunded: 19.9 });
      if (provider === 'stripe')
        expect(await stripe.server.charges(present(accounts.get(org)))).toMatchObject([{ amount: 1990, amount_refunded: 1990 }]);
    });

    test('an order that was canceled cannot be paid any more', async () => {
      const id = await first();
      await acts.open(org, id);
      await record(org, id, 'canceled');
      await acts.payLate(org, id);
      expect([await statusesOf(org), await receivedOf(org)]).toEqual([['canceled'], []]);
    });

    test('numbers of invoices have no gaps over payments, refusals and renewals', async () => {
      await acts.pay(org, await first());
      clock.now = () => new Date(Date.now() + 32 * dayMs);
      await renewDue(clock.now());
      await newClient(org, { email: 'eve@example.com', plan_id: await newPlan(org) });
      const { length } = await ordersOf(org);
      expect(length).toBe(3);
      const numbers = (await call('billing.ListOrders', { offset: 0 }, testCaller(org))).orders.map(({ invoice_url }) => invoice_url);
      expect(new Set(numbers).size).toBe(3);
    });
  });
});

describe('stripe', () => {
  const stripe = useStripe();
  const dayMs = 86_400_000;
  const email = 'ada@example.com';

  afterEach(() => {
    clock.now = () => new Date();
  });

  const ordersOf = async (org: string) => (await call('billing.ListOrders', { offset: 0 }, testCaller(org))).orders;
  const statusesOf = async (org: string) => (await ordersOf(org)).map(({ status }) => status);
  const receivedOf = async (org: string) =>
    (await published(stripe.stream, 'payment.received')).filter(({ org_id }) => org_id === org).length;
  const settings = (org: string, fields: Record<string, unknown>) =>
    call('billing.UpdatePaymentSettings', { ...fields, update_mask: Object.keys(fields) } as never, ownerOf(org));
  const cardState = async (org: string) =>
    present((await call('billing.GetPaymentSettings', {}, ownerOf(org))).payment_settings).card_payments;

  interface Subscribed {
    readonly org: string;
    readonly account: string;
    readonly client_id: string;
    readonly order_id: string;
  }

  /** A client of a connected organization with a first order, still to be paid. */
  async function subscribed(wanted: Parameters<typeof newPlan>[1] = {}, fields: Record<string, unknown> = {}): Promise<Subscribed> {
    const org = newOrganization();
    if (Object.keys(fields).length > 0) await settings(org, fields);
    const account = await connectOrganization(stripe, org);
    const client_id = await newClient(org, { email, plan_id: await newPlan(org, wanted) });
    return { org, account, client_id, order_id: present((await ordersOf(org))[0]).id };
  }

  async function paying(card: Parameters<typeof stripe.server.payCheckout>[1] = 'visa', wanted: Parameters<typeof newPlan>[1] = {}) {
    const made = await subscribed(wanted);
    expect(await stripe.server.payCheckout(await openCheckout(made.org, made.order_id), card)).toBe('complete');
    await stripe.server.settleDeliveries();
    expect(await statusesOf(made.org)).toEqual(['paid']);
    return made;
  }

  async function renewAfter(days: number): Promise<void> {
    const now = new Date(Date.now() + days * dayMs);
    clock.now = () => now;
    await renewDue(now);
    await chargeDue(payments(stripe));
    await stripe.server.settleDeliveries();
  }

  describe('connecting', () => {
    test('an organization may take cards once Stripe knows enough of it, and not any more once Stripe wants to know more', async () => {
      const org = newOrganization();
      expect(await cardState(org)).toBe('not_connected');
      const { url } = await call('billing.ConnectStripe', {}, ownerOf(org));
      expect([await cardState(org), url.startsWith(stripe.server.url)]).toEqual(['incomplete', true]);
      const account = await connectOrganization(stripe, org);
      expect(await cardState(org)).toBe('ready');
      await stripe.server.disableCharges(account);
      await stripe.server.settleDeliveries();
      expect(await cardState(org)).toBe('incomplete');
    });

    test('what was paid by card is given back while cards are on', async () => {
      const { org, order_id } = await paying();
      await call('billing.DisconnectStripe', {}, ownerOf(org));
      const fields = { order_id, status: 'refunded', update_mask: ['status'] };
      await expect(call('billing.UpdateOrder', fields, testCaller(org))).rejects.toEqual(refusal('stripe_unavailable'));
      expect(await statusesOf(org)).toEqual(['paid']);
    });

    test('whoever switches cards off is paid as its invoices say, and one account is made however often it is switched on', async () => {
      const { org, order_id } = await subscribed();
      await call('billing.DisconnectStripe', {}, ownerOf(org));
      expect(await cardState(org)).toBe('not_connected');
      await expect(openCheckout(org, order_id)).rejects.toEqual(refusal('stripe_unavailable'));
      await call('billing.ConnectStripe', {}, ownerOf(org));
      await call('billing.ConnectStripe', {}, ownerOf(org));
      const made = (await stripe.server.requests()).filter(
        ({ path, params }) => path === '/v1/accounts' && JSON.stringify(params).includes(org),
      );
      expect(new Set(made.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    });

    test('a currency that Stripe rounds to ten is refused', async () => {
      const org = newOrganization();
      await settings(org, { currency: 'KWD' });
      expect(await cardState(org)).toBe('unavailable');
      await expect(call('billing.ConnectStripe', {}, ownerOf(org))).rejects.toEqual(refusal('stripe_unavailable'));
      const { org: connected } = { org: newOrganization() };
      await connectOrganization(stripe, connected);
      await expect(settings(connected, { currency: 'KWD' })).rejects.toEqual(refusal('validation_failed'));
    });
  });

  describe('paying by card', () => {
    test('the operator keeps its share of a first payment and of each renewal', async () => {
      const { org, account } = await paying();
      await renewAfter(32);
      expect(await statusesOf(org)).toEqual(['paid', 'paid']);
      expect(await stripe.server.charges(account)).toMatchObject([
        { amount: 1990, application_fee_amount: 199 },
        { amount: 1990, application_fee_amount: 199 },
      ]);
    });

    test.each([
      ['JPY', 900, 900],
      ['ISK', 900, 90_000],
      ['EUR', 9.5, 950],
    ])('a price in %s is charged in what Stripe counts it in', async (currency, price, amount) => {
      const { org, account, order_id } = await subscribed({ price }, { currency });
      await stripe.server.payCheckout(await openCheckout(org, order_id), 'visa');
      await stripe.server.settleDeliveries();
      expect([await statusesOf(org), await stripe.server.charges(account)]).toMatchObject([
        ['paid'],
        [{ amount, currency: currency.toLowerCase() }],
      ]);
    });

    test('a client who is back before the message of its payment finds the invoice paid', async () => {
      const { org, order_id } = await subscribed();
      const session = await openCheckout(org, order_id);
      await stripe.server.holdEvents();
      await stripe.server.payCheckout(session, 'visa');
      const token = await tokenOf(org, order_id);
      await call('billing.ReturnToInvoice', { token }, activationPage());
      expect((await call('billing.OpenInvoice', { token }, activationPage())).status).toBe('paid');
      await stripe.server.deliverEvents();
      expect(await receivedOf(org)).toBe(1);
    });

    test('one page is open for an order, until it has expired', async () => {
      const { org, order_id } = await subscribed();
      const first = await openCheckout(org, order_id);
      expect(await openCheckout(org, order_id)).toBe(first);
      clock.now = () => new Date(Date.now() + 2 * dayMs);
      await stripe.server.advance(2 * dayMs);
      expect(await openCheckout(org, order_id)).not.toBe(first);
    });

    test('a card that needs its owner fails at the renewal, and is paid on the invoice with 3-D Secure', async () => {
      const { org, client_id } = await paying('authentication_required');
      await renewAfter(32);
      expect(await statusesOf(org)).toEqual(['failed', 'paid']);
      const order_id = present((await ordersOf(org))[0]).id;
      expect(await stripe.server.payCheckout(await openCheckout(org, order_id), 'authentication_required')).toBe('complete');
      await stripe.server.settleDeliveries();
      expect(await statusesOf(org)).toEqual(['paid', 'paid']);
      expect(present((await call('billing.GetSubscription', { client_id }, testCaller(org))).subscription).status).toBe('active');
    });

    test('a card that is declined is charged again on the days of the settings, once a day, until the subscription ends', async () => {
      const { org, account } = await paying('declined_later');
      for (const day of [32, 35, 36, 37, 38, 39, 40]) await renewAfter(day);
      expect(await statusesOf(org)).toEqual(['canceled', 'paid']);
      const declined = (await stripe.server.events(account)).filter(({ type }) => type === 'payment_intent.payment_failed');
      expect([declined.length, (await stripe.server.charges(account)).length]).toEqual([4, 1]);
    });

    test('a client who changed its card is charged by the new one', async () => {
      const { org, account, client_id } = await paying('declined_later');
      const [charge] = await stripe.server.charges(account);
      await stripe.server.setCard(account, present(charge?.customer), 'visa');
      await stripe.server.settleDeliveries();
      await renewAfter(32);
      expect(await statusesOf(org)).toEqual(['paid', 'paid']);
      const client = { ...ownerOf(org), principal: { ...ownerOf(org).principal, role: 'client' as const, client_id } };
      expect(present((await call('billing.GetOwnBilling', {}, client)).billing).card).toMatchObject({ last4: '4242' });
      expect((await call('billing.ChangeOwnCard', {}, client)).url).toContain(stripe.server.url);
    });
  });

  test('a client who took its card away is charged by it no more', async () => {
    const { org, account, client_id } = await paying();
    const customer = present((await stripe.server.charges(account))[0]?.customer);
    await stripe.server.holdEvents();
    await stripe.server.setCard(account, customer, 'declined_later');
    await stripe.server.dropEvents();
    // Stripe tells of the client alone in what was before.
    const data = { object: { id: 'pm_1', object: 'payment_method', customer: null }, previous_attributes: { customer } };
    const { body, signature } = await stripe.server.signed({
      id: 'evt_1',
      object: 'event',
      type: 'payment_method.detached',
      account,
      data,
    });
    await call('billing.ReceivePaymentEvent', { body: Buffer.from(body), signature }, activationPage());
    const client = { ...ownerOf(org), principal: { ...ownerOf(org).principal, role: 'client' as const, client_id } };
    expect(present((await call('billing.GetOwnBilling', {}, client)).billing).card).toMatchObject({ last4: '0341' });
  });

  describe('what happens at Stripe', () => {
    test('events that come late, three times and in any order leave the same as one in time', async () => {
      await stripe.server.holdEvents();
      const made = await subscribed();
      await stripe.server.payCheckout(await openCheckout(made.org, made.order_id), 'visa');
      const [charge] = await stripe.server.charges(made.account);
      await stripe.server.refundOutside(made.account, present(charge).payment_intent);
      await stripe.server.deliverEvents({ times: 3, shuffleSeed: 7 });
      await stripe.server.settleDeliveries();
      expect([await statusesOf(made.org), await receivedOf(made.org)]).toEqual([['refunded'], 1]);
      expect((await call('billing.GetRevenue', { months: 1 }, ownerOf(made.org))).revenue?.months[0]).toMatchObject({
        paid: 19.9,
        refunded: 19.9,
      });
    });

    test('a dispute that is lost takes the payment back, one that is won does not', async () => {
      const made = await paying();
      const [charge] = await stripe.server.charges(made.account);
      const dispute = await stripe.server.dispute(made.account, present(charge).payment_intent);
      await stripe.server.settleDeliveries();
      expect(await statusesOf(made.org)).toEqual(['paid']);
      await stripe.server.closeDispute(made.account, dispute, 'lost');
      await stripe.server.settleDeliveries();
      expect(await statusesOf(made.org)).toEqual(['refunded']);
      const other = await paying();
      const [won] = await stripe.server.charges(other.account);
      await stripe.server.closeDispute(other.account, await stripe.server.dispute(other.account, present(won).payment_intent), 'won');
      await stripe.server.settleDeliveries();
      expect(await statusesOf(other.org)).toEqual(['paid']);
    });

    test('a payment of an order that was recorded as paid meanwhile is given back', async () => {
      const made = await subscribed();
      await stripe.server.holdEvents();
      await stripe.server.payCheckout(await openCheckout(made.org, made.order_id), 'visa');
      const fields = { order_id: made.order_id, status: 'paid', update_mask: ['status'] };
      await call('billing.UpdateOrder', fields, testCaller(made.org));
      await stripe.server.deliverEvents();
      await stripe.server.settleDeliveries();
      expect([await statusesOf(made.org), await receivedOf(made.org)]).toEqual([['paid'], 1]);
      expect(await stripe.server.charges(made.account)).toMatchObject([{ refunded: true }]);
    });

    test('the daily reconciliation records what no message told of, and nothing twice', async () => {
      const made = await subscribed();
      await stripe.server.holdEvents();
      await stripe.server.payCheckout(await openCheckout(made.org, made.order_id), 'visa');
      await stripe.server.dropEvents();
      expect(await statusesOf(made.org)).toEqual(['pending']);
      const tomorrow = new Date(Date.now() + dayMs + 1);
      await reconcileDue(payments(stripe), tomorrow);
      await reconcileDue(payments(stripe), new Date(tomorrow.getTime() + dayMs));
      expect([await statusesOf(made.org), await receivedOf(made.org)]).toEqual([['paid'], 1]);
    });
  });

  describe('an event', () => {
    const send = (body: string, signature: string) =>
      call('billing.ReceivePaymentEvent', { body: Buffer.from(body), signature }, activationPage());

    /** A payment that has happened and is not told of yet, with the event that tells of it. */
    async function untold() {
      const made = await subscribed();
      await stripe.server.holdEvents();
      await stripe.server.payCheckout(await openCheckout(made.org, made.order_id), 'visa');
      const event = present((await stripe.server.events(made.account)).find(({ type }) => type === 'payment_intent.succeeded'));
      await stripe.server.dropEvents();
      return { ...made, event };
    }

    test.each([
      ['forged', { secret: 'whsec_somebody_else_has_this_secret_of_theirs' }],
      ['an hour old', { at: Date.now() - 3_600_000 }],
    ])('that is %s is refused and changes nothing', async (_name, how) => {
      const { org, event } = await untold();
      const { body, signature } = await stripe.server.signed(event, how);
      await expect(send(body, signature)).rejects.toEqual(refusal('payment_event_refused'));
      await expect(send(body.replace('succeeded', 'failed'), signature)).rejects.toEqual(refusal('payment_event_refused'));
      await expect(send(body, '')).rejects.toEqual(refusal('payment_event_refused'));
      expect(await statusesOf(org)).toEqual(['pending']);
    });

    test('of an account that no organization has, or of another organization, changes nothing of this one', async () => {
      const { org, event } = await untold();
      const other = await subscribed();
      for (const account of ['acct_unknown', other.account]) {
        const { body, signature } = await stripe.server.signed({ ...event, account });
        await send(body, signature).catch(() => undefined);
      }
      expect([await statusesOf(org), await statusesOf(other.org)]).toEqual([['pending'], ['pending']]);
      const { body, signature } = await stripe.server.signed(event);
      await send(body, signature);
      await send(body, signature);
      expect([await statusesOf(org), await receivedOf(org)]).toEqual([['paid'], 1]);
    });
  });

  test('a charge that a process made before it died is not made again, though Stripe has forgotten its key by then', async () => {
    const { org, account } = await paying();
    const now = new Date(Date.now() + 32 * dayMs);
    clock.now = () => now;
    await renewDue(now);
    const orders = mongoose.connection.collection<OrderState>('orders');
    const order = present(await orders.findOne({ org_id: org, status: 'pending' }));
    const card = present(await stripe.provider.card(account, present((await stripe.server.charges(account))[0]?.customer)));
    await stripe.server.holdEvents();
    await stripe.provider.charge(account, card, order);
    await stripe.server.dropEvents();
    await orders.updateOne({ _id: order._id }, { $set: { is_charging: true } });
    await stripe.server.advance(3 * dayMs);
    await chargeDue(payments(stripe));
    expect([await statusesOf(org), (await stripe.server.charges(account)).length]).toEqual([['paid', 'paid'], 2]);
    expect(await orders.countDocuments({ org_id: org, $or: [{ is_charging: true }, { charge_at: { $ne: null } }] })).toBe(0);
  });
});

describe('stripe mock', () => {
  let mock: StripeMock;
  let provider: StripeProvider;

  beforeAll(async () => {
    mock = await startStripeMock();
    provider = new StripeProvider({ secretKey: 'sk_test_123', webhookSecrets: [], feePercent: 2.5, apiUrl: mock.url });
  });
  afterAll(() => mock.stop());

  const account = 'acct_1';
  const client = { _id: 'c1', email: 'ada@example.com', name: 'Ada' };
  const card = { customer: 'cus_1', payment_method: 'pm_1', brand: 'visa', last4: '4242', exp_month: 1, exp_year: 2030 };
  const order = {
    ...{ _id: 'o1', amount: 1990, currency: 'EUR', number: 7, attempts: 0, checkout: null },
    invoice: { item: 'Studio', prefix: 'INV-' },
  } as OrderState;
  const page = 'https://platform.example/invoice/x';

  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    createAccount: () => provider.createAccount('org'),
    onboardingUrl: () => provider.onboardingUrl(account, page),
    isReady: () => provider.isReady(account),
    createPayer: () => provider.createPayer(account, client),
    openCheckout: () => provider.openCheckout(account, { customer: 'cus_1' }, order, page),
    closeCheckout: () => provider.closeCheckout(account, 'cs_1'),
    charge: () => provider.charge(account, card, order),
    earlierCharge: () => provider.earlierCharge(account, card, order),
    payment: () => provider.payment(account, 'pi_1'),
    checkoutPayment: () => provider.checkoutPayment(account, 'cs_1'),
    refund: () => provider.refund(account, 'pi_1'),
    card: () => provider.card(account, 'cus_1'),
    cardPageUrl: () => provider.cardPageUrl(account, 'cus_1', page),
    changesSince: async () => {
      for await (const _change of provider.changesSince(account, new Date(0))) break;
    },
  };

  test.each(Object.keys(calls))("what %s sends is valid by Stripe's own description of its API", async (name) => {
    await calls[name]?.();
  });
});
