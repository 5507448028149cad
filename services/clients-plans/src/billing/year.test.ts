import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { present } from '../testing/expectations.ts';
import { newClient, newPlan } from '../testing/records.ts';
import { newOrganization, ownerOf } from '../testing/running-service.ts';
import { connectOrganization, openCheckout, payments, useStripe } from '../testing/stripe.ts';
import { published } from '../testing/test-stream.ts';
import { clock } from './clock.ts';
import { chargeDue } from './payments/charges.ts';
import { renewDue } from './renewals.ts';

const stripe = useStripe();

/** `BILLING_CLIENTS=200` for more of them, `FAULT_SEED` to repeat a run. */
const clients = Number(process.env.BILLING_CLIENTS ?? 5);
const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const dayMs = 86_400_000;
jest.setTimeout(Math.max(180_000, clients * 10_000));

/** Mulberry32. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
const random = randomFrom(seed);
const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

interface Order {
  _id: string;
  client_id: string;
  subscription_id: string;
  plan_id: string;
  kind: string;
  amount: number;
  tax: number;
  number: number;
  status: string;
  provider_ref: string | null;
  period_start: Date;
  period_end: Date;
  paid_at: Date | null;
  refunded_at: Date | null;
  created_at: Date;
}

interface Subscription {
  _id: string;
  client_id: string;
  plan_id: string;
  status: string;
  was_paid: boolean;
  credit: number;
}

/** What the test knows of an organization without asking: its prices, and each act as it was made. */
interface Known {
  readonly org: string;
  /** Its account at Stripe, whose books say what was paid; null: members record payments. */
  readonly account: string | null;
  readonly decimals: number;
  readonly prices: Map<string, { price: number; interval: string }>;
  readonly clients: string[];
  /** Orders that were paid, and paid back, with the moment. */
  readonly paid: Map<string, Date>;
  readonly refunded: Map<string, Date>;
  readonly paused: Set<string>;
}

const ordersOf = async (org_id: string) =>
  (await mongoose.connection.collection('orders').find({ org_id }).sort({ number: 1 }).toArray()) as unknown as Order[];
const subscriptionsOf = async (org_id: string) =>
  (await mongoose.connection.collection('subscriptions').find({ org_id }).toArray()) as unknown as Subscription[];

async function found(currency: string, decimals: number, prices: readonly number[], byCard: boolean): Promise<Known> {
  const org = newOrganization();
  const fields = { currency, payment_days: 5, time_zone: oneOf(['UTC', 'Europe/Berlin', 'America/New_York']), tax_rate: 19 };
  await call('billing.UpdatePaymentSettings', { ...fields, update_mask: Object.keys(fields) } as never, ownerOf(org));
  const account = byCard ? await connectOrganization(stripe, org) : null;
  const known: Known = { org, account, decimals, prices: new Map(), clients: [], paid: new Map(), refunded: new Map(), paused: new Set() };
  for (const [at, price] of prices.entries()) {
    const interval = at === prices.length - 1 ? 'yearly' : 'monthly';
    known.prices.set(await newPlan(org, { price, interval }), { price: Math.round(price * 10 ** decimals), interval });
  }
  return known;
}

const customers = mongoose.connection.collection<{ _id: string; stripe_customer: string }>('billing_details');

/** A client pays at Stripe, gets another card, or takes a payment back there. */
async function actAtStripe(org: string, account: string, client_id: string, own: readonly Order[]): Promise<void> {
  const chance = random();
  if (chance < 0.7) {
    const order = own.findLast(isOpen);
    if (order === undefined) return;
    await stripe.server.payCheckout(await openCheckout(org, order._id), oneOf(['visa', 'declined_later', 'authentication_required']));
  } else if (chance < 0.95) {
    const details = await customers.findOne({ _id: client_id });
    if (details !== null)
      await stripe.server.setCard(account, details.stripe_customer, oneOf(['visa', 'visa', 'declined_later', 'insufficient_funds']));
  } else {
    const paid = own.findLast(({ status }) => status === 'paid');
    if (paid?.provider_ref) await stripe.server.refundOutside(account, paid.provider_ref);
  }
}

/** A random act of a client or its agency. Refusals are part of it. */
async function act({ org, account, prices, paid, refunded, paused }: Known, client_id: string): Promise<void> {
  const caller = testCaller(org);
  const plan_id = oneOf([...prices.keys()]);
  const own = (await ordersOf(org)).filter((order) => order.client_id === client_id);
  const open = own.filter(({ status }) => status === 'pending' || status === 'failed');
  const set = (order_id: string, status: string) => call('billing.UpdateOrder', { order_id, status, update_mask: ['status'] }, caller);
  const chance = random();
  if (chance < 0.55 && account !== null) await actAtStripe(org, account, client_id, own);
  else if (chance < 0.55) {
    for (const { _id } of open) {
      await set(_id, 'paid');
      paid.set(_id, clock.now());
    }
  } else if (chance < 0.6 && open[0] !== undefined && account === null) await set(open[0]._id, 'failed');
  else if (chance < 0.75) await call('clients.UpdateClient', { client_id, plan_id, update_mask: ['plan_id'] }, caller);
  else if (chance < 0.8) await call('billing.ChangeSubscriptionPlan', { client_id, plan_id, at: 'renewal' }, caller);
  else if (chance < 0.85) {
    await call('billing.PauseSubscription', { client_id }, caller);
    paused.add(client_id);
  } else if (chance < 0.92) await call('billing.ResumeSubscription', { client_id }, caller);
  else if (chance < 0.94) await call('billing.CancelSubscription', { client_id, at: oneOf(['now', 'period_end']) }, caller);
  else if (chance < 0.97) await call('billing.OpenSubscription', { client_id, plan_id }, caller);
  else {
    const last = own.findLast(({ status }) => status === 'paid');
    if (last === undefined) return;
    await set(last._id, 'refunded');
    refunded.set(last._id, clock.now());
  }
}

const refusals = new Set([
  ...['subscription_not_found', 'subscription_not_paid', 'subscription_live'],
  // The client is faster, or slower, than the card or the member.
  ...['payment_not_open', 'order_status_refused'],
]);
const isRefusal = (error: unknown) => refusals.has((error as { code: string }).code) || isRefunded(error);
/** Stripe knows already what we are still to hear of. */
const isRefunded = (error: unknown) => (error as { body?: { code?: string } }).body?.code === 'charge_already_refunded';

/** The sum of a month, by the test's own list of what was paid when. */
function sums(orders: readonly Order[], moments: ReadonlyMap<string, Date>): number {
  return orders.filter(({ _id }) => moments.has(_id)).reduce((sum, { amount }) => sum + amount, 0);
}

/** What Stripe's books say: what is kept of each payment is of one order, and everything else went back. */
async function readBooks({ account, paid, refunded }: Known, orders: readonly Order[]): Promise<void> {
  if (account === null) return;
  const charges = await stripe.server.charges(account);
  for (const order of orders) {
    const own = charges.filter(({ metadata }) => metadata.order_id === order._id);
    const kept = own.filter(({ payment_intent }) => payment_intent === order.provider_ref);
    expect(own.filter((charge) => !kept.includes(charge) && !charge.refunded)).toEqual([]);
    if (kept[0] === undefined) continue;
    expect(kept).toMatchObject([{ amount: order.amount, refunded: order.status === 'refunded' }]);
    if (order.paid_at !== null) paid.set(order._id, order.paid_at);
    if (order.refunded_at !== null) refunded.set(order._id, order.refunded_at);
  }
}

/** Everything that Stripe has to tell, three times and in any order. */
const deliver = () => stripe.server.deliverEvents({ times: 3, shuffleSeed: Math.floor(random() * 1000) });

test(`a year of random acts and renewals: every figure is what the acts and prices add up to (FAULT_SEED=${seed})`, async () => {
  let now = await stripe.server.now();
  clock.now = () => new Date(now);
  const all = [
    await found('USD', 2, [9.99, 19.99, 49, 199], true),
    await found('JPY', 0, [900, 2500, 20_000], true),
    await found('EUR', 2, [9.99, 19.99, 49, 199], false),
    await found('KWD', 3, [1.125, 9.999, 55.5], false),
  ];
  for (let at = 0; at < clients; at += 1) {
    const known = oneOf(all);
    known.clients.push(await newClient(known.org, { email: `c${at}@example.com`, plan_id: oneOf([...known.prices.keys()]) }));
  }
  const end = now + 365 * dayMs;
  while (now < end) {
    const step = Math.ceil(random() * 6 * dayMs);
    now += step;
    await stripe.server.advance(step);
    await stripe.server.holdEvents();
    await renewDue(clock.now());
    await chargeDue(payments(stripe));
    for (const known of all) {
      for (const client of known.clients) {
        if (random() > 0.35) continue;
        await act(known, client).catch((error: unknown) => {
          if (!isRefusal(error)) throw error;
        });
      }
    }
    // Some of it waits for the next time.
    if (random() < 0.7) await deliver();
  }
  await deliver();
  const received = await published(stripe.stream, 'payment.received');
  for (const known of all) {
    const orders = await ordersOf(known.org);
    expect(orders.map(({ number }) => number)).toEqual(orders.map((_order, at) => at + 1));
    await readBooks(known, orders);
    const told = received.filter(({ org_id }) => org_id === known.org).map(({ data }) => [data.order.id, data.order.amount] as const);
    const paid = orders.filter(({ _id }) => known.paid.has(_id));
    expect(told.toSorted()).toEqual(paid.map(({ _id, amount }) => [_id, amount / 10 ** known.decimals] as const).toSorted());
    for (const order of orders) {
      const status = known.refunded.has(order._id) ? 'refunded' : known.paid.has(order._id) ? 'paid' : order.status;
      expect([order.status, order.amount > 0]).toEqual([status, true]);
      // 19 % of the net sum, to the nearest unit.
      expect(Math.abs(order.tax - (order.amount * 19) / 119)).toBeLessThanOrEqual(0.5);
    }
    await expectLedgers(known, orders);
    const months = await mongoose.connection.collection('revenue_months').find({ org_id: known.org }).toArray();
    const total = (name: string) => months.reduce((sum, month) => sum + (month[name] as number), 0);
    expect([total('paid'), total('refunded')]).toEqual([sums(orders, known.paid), sums(orders, known.refunded)]);
  }
});

/** Each subscription on its own, from its orders and the prices alone. */
async function expectLedgers(known: Known, orders: readonly Order[]): Promise<void> {
  const { org, clients: own, paused } = known;
  const subscriptions = await subscriptionsOf(org);
  for (const client_id of own) {
    const { client } = await call('clients.GetClient', { client_id }, testCaller(org));
    const theirs = subscriptions.filter((subscription) => subscription.client_id === client_id);
    const live = theirs.filter(({ status }) => status !== 'canceled');
    expect(live.length).toBeLessThanOrEqual(1);
    if (live[0] !== undefined) expect(present(client).plan_id).toBe(live[0].plan_id);
    const status = live[0]?.was_paid ? (live[0].status === 'past_due' ? 'past_due' : 'active') : undefined;
    if (status !== undefined) expect(present(client).payment_status).toBe(status);
    for (const { _id, status: state, credit } of theirs) {
      const charged = orders.filter(({ subscription_id }) => subscription_id === _id);
      if (state === 'canceled') expect(charged.filter(isOpen)).toEqual([]);
      // A pause moves the end of a period, of which orders know nothing.
      if (paused.has(client_id)) continue;
      const ledger = ledgerOf(charged, known);
      expect(charged.map(({ amount }) => amount)).toEqual(ledger.amounts);
      expect(credit).toBe(ledger.credit);
    }
  }
}

const isOpen = ({ status }: Order): boolean => status === 'pending' || status === 'failed';

/** `minor` × part ÷ whole in halves away from zero, by the digits of a fraction. */
const rounded = (minor: number, part: number, whole: number): number =>
  Number((2n * BigInt(minor) * BigInt(part) + BigInt(whole)) / (2n * BigInt(whole)));

/**
 * What a subscription that was never paused should have been charged, from the moments of its orders and the prices
 * alone: a period at its plan's price, an upgrade at its part of what the dearest plan of the period cost less, and a
 * year that begins within a month at its price without what was left of the paid month.
 */
function ledgerOf(orders: readonly Order[], { prices, paid, refunded }: Known): { amounts: number[]; credit: number } {
  const amounts: number[] = [];
  let credit = 0;
  let period: { start: number; end: number; price: number; orders: Order[] } | undefined;
  const charge = (sum: number) => {
    const used = Math.min(credit, sum);
    credit -= used;
    amounts.push(sum - used);
  };
  for (const order of orders) {
    const { price, interval } = present(prices.get(order.plan_id));
    const [start, end] = [order.period_start.getTime(), order.period_end.getTime()];
    if (order.kind === 'upgrade' && period !== undefined) {
      expect(end).toBe(period.end);
      charge(rounded(price - period.price, end - start, end - period.start));
      period.price = price;
      period.orders.push(order);
      continue;
    }
    if (period !== undefined && interval === 'yearly' && start > period.start && start < period.end) {
      const isPaid = period.orders.every(({ _id, status }) => (paid.get(_id)?.getTime() ?? Infinity) <= start || status === 'canceled');
      const unpaid = period.orders.some(({ _id, status }) => status === 'canceled' && !paid.has(_id));
      const isRefunded = period.orders.some(({ _id }) => (refunded.get(_id)?.getTime() ?? Infinity) <= start);
      if (isPaid && !unpaid && !isRefunded) credit += rounded(period.price, period.end - start, period.end - period.start);
    } else if (period !== undefined && start >= period.end) expect(start).toBe(period.end);
    charge(price);
    period = { start, end, price, orders: [order] };
  }
  return { amounts, credit };
}
