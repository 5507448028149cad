import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { present, refusal } from '../../testing/expectations.ts';
import { newClient, newPlan } from '../../testing/records.ts';
import { newOrganization, ownerOf } from '../../testing/running-service.ts';
import { connectOrganization, openCheckout, payments, useStripe } from '../../testing/stripe.ts';
import { published } from '../../testing/test-stream.ts';
import { clock } from '../clock.ts';
import { renewDue } from '../renewals.ts';
import { chargeDue } from './charges.ts';

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
