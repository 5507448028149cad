import { randomUUID } from 'node:crypto';
import { Order, OwnBilling, PaymentSettings, Revenue, Subscription } from '@webkiln/contract';
import { type Agency, agency, eventually } from '../harness/agency.ts';
import type { Api, Json } from '../harness/api.ts';
import { accountOf, payByCard, sharedStripe, takeCards } from '../harness/card-payments.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser } from '../harness/team.ts';
import { inviteClient, makePlan } from './fixtures.ts';

const platform = sharedPlatform();

/** A client with a priced plan, and its first order, which is not paid. */
async function orderedPlan(api: Api, price = 29) {
  const plan = await makePlan(api, { price });
  const client = await inviteClient(api, { plan_id: plan.id });
  const { body } = (await api.get(`/orders?client_id=${client.id}`)).expect(200);
  return { plan, client, order: body.orders[0] as Order };
}

const pay = async (api: Api, { id }: Order) => (await api.patch(`/orders/${id}`, { status: 'paid' })).expect(200).body.order as Order;
const fieldsOf = (record: Json) => Object.keys(record).sort();

let ours: Agency;
beforeAll(async () => {
  ours = await agency();
});

describe('orders', () => {
  test('listOrders: lists the orders of the organization, newest first, with the total, by client and by status', async () => {
    const { api } = await agency();
    const first = await orderedPlan(api);
    const second = await orderedPlan(api);
    await pay(api, first.order);
    const idsOf = async (query: string) => (await api.get(`/orders${query}`)).expect(200).body.orders.map(({ id }: Order) => id);
    expect(await idsOf('')).toEqual([second.order.id, first.order.id]);
    expect(await idsOf(`?client_id=${first.client.id}`)).toEqual([first.order.id]);
    expect(await idsOf('?status=paid')).toEqual([first.order.id]);
    expect(await idsOf('?status=nonsense')).toEqual([]);
    expect((await api.get('/orders?limit=1')).expect(200).body.total).toBe(2);
  });

  test('listOrders: with overdue=true lists what is open after the day it was due, and nothing else', async () => {
    const { api } = await agency();
    const { order } = await orderedPlan(api);
    await orderedPlan(api);
    const overdue = async (more = '') => (await api.get(`/orders?overdue=true${more}`)).expect(200).body;
    expect(await overdue()).toEqual({ orders: [], total: 0 });
    (await api.patch(`/orders/${order.id}`, { status: 'failed' })).expect(200);
    expect(await overdue()).toMatchObject({ orders: [{ id: order.id }], total: 1 });
    expect((await overdue('&status=paid')).total).toBe(0);
    expect((await api.get('/orders?overdue=nonsense')).expect(200).body.total).toBe(2);
  });

  test('listOrders: answers CSV with a row for each order', async () => {
    const { api } = await agency();
    const { order } = await orderedPlan(api);
    const response = await api.raw('/orders', { headers: { accept: 'text/csv' } });
    expect(response.headers.get('content-disposition')).toContain('orders.csv');
    expect((await response.text()).trim().split(/\r?\n/)[1]).toContain(
      `${order.id},${order.client_id},${order.plan_id},29,USD,pending,manual`,
    );
  });

  test('getOrder: answers 200 with exactly the contract fields, and 404 to an unknown id', async () => {
    const { order } = await orderedPlan(ours.api);
    const { body } = (await ours.api.get(`/orders/${order.id}`)).expect(200);
    expect(body).toEqual({ order });
    expect(fieldsOf(body.order)).toEqual(fieldsOf(Order.shape));
    expect(Order.safeParse(body.order).success).toBe(true);
    (await ours.api.get(`/orders/${randomUUID()}`)).expect(404, 'order_not_found');
  });

  test('updateOrder: records a payment, after which the client is active', async () => {
    const { client, order } = await orderedPlan(ours.api);
    expect(await pay(ours.api, order)).toMatchObject({ status: 'paid', paid_at: expect.any(String) });
    expect((await ours.api.get(`/clients/${client.id}`)).body.client.payment_status).toBe('active');
  });

  test('updateOrder: answers 409 to a status that cannot follow, 404 to an unknown id, 412 to a stale ETag', async () => {
    const { order } = await orderedPlan(ours.api);
    (await ours.api.patch(`/orders/${order.id}`, { status: 'refunded' })).expect(409, 'order_status_refused');
    (await ours.api.patch(`/orders/${randomUUID()}`, { status: 'paid' })).expect(404, 'order_not_found');
    (await ours.api.patch(`/orders/${order.id}`, { status: 'paid' }, { 'if-match': '"r9"' })).expect(412, 'edited_meanwhile');
    (await ours.api.patch(`/orders/${order.id}`, { status: 'settled' })).expect(400, 'validation_failed');
  });

  test('the invoice of an order is a page for whoever has its link, and for nobody else', async () => {
    const { order } = await orderedPlan(ours.api);
    const link = new URL(order.invoice_url ?? '');
    const open = (path: string) => fetch(`${platform.origins[0]}${path}`);
    const page = await open(link.pathname);
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await page.text()).toContain('$29.00');
    const forged = `${link.pathname.slice(0, -1)}${link.pathname.endsWith('A') ? 'B' : 'A'}`;
    // The platform of these tests has no Chromium.
    expect((await open(`${link.pathname}/pdf`)).status).toBe(404);
    for (const path of [forged, '/invoice/nonsense', `/invoice/${randomUUID()}.${order.id}.${'a'.repeat(32)}`]) {
      expect((await open(path)).status).toBe(404);
    }
  });
});

describe('subscriptions', () => {
  const subscriptionOf = async (client_id: string) =>
    (await ours.api.get(`/clients/${client_id}/subscription`)).expect(200).body.subscription as Subscription;

  test('listSubscriptions: lists those of the organization, newest first', async () => {
    const { api } = await agency();
    const first = await orderedPlan(api);
    const second = await orderedPlan(api);
    const { body } = (await api.get('/subscriptions')).expect(200);
    expect(body.subscriptions.map(({ client_id }: Subscription) => client_id)).toEqual([second.client.id, first.client.id]);
  });

  test('getSubscription: answers 200 with exactly the contract fields, and 404 where there is none', async () => {
    const { client, plan } = await orderedPlan(ours.api);
    const subscription = await subscriptionOf(client.id);
    expect(fieldsOf(subscription)).toEqual(fieldsOf(Subscription.shape));
    expect(subscription).toMatchObject({ plan_id: plan.id, status: 'incomplete', amount: 29, interval: 'monthly' });
    const other = await inviteClient(ours.api);
    (await ours.api.get(`/clients/${other.id}/subscription`)).expect(404, 'subscription_not_found');
    (await ours.api.get(`/clients/${randomUUID()}/subscription`)).expect(404, 'client_not_found');
  });

  test('openSubscription: answers 201, then 409 while it goes on, and 400 to an unknown or a free plan', async () => {
    const client = await inviteClient(ours.api);
    const open = (plan_id: string, id = client.id) => ours.api.post(`/clients/${id}/subscription`, { plan_id });
    const { id: plan_id } = await makePlan(ours.api);
    (await open((await makePlan(ours.api, { price: 0 })).id)).expect(400, 'plan_not_priced');
    (await open(randomUUID())).expect(400, 'plan_unknown');
    (await open(plan_id, randomUUID())).expect(404, 'client_not_found');
    (await open(plan_id)).expect(201);
    (await open(plan_id)).expect(409, 'subscription_live');
    expect((await ours.api.get(`/clients/${client.id}`)).body.client.plan_id).toBe(plan_id);
  });

  test('cancelSubscription: ends with the period, or now; 404 once it has ended', async () => {
    const { client, order } = await orderedPlan(ours.api);
    await pay(ours.api, order);
    const cancel = (body: Json) => ours.api.post(`/clients/${client.id}/subscription/cancel`, body);
    expect((await cancel({})).expect(200).body.subscription).toMatchObject({ status: 'active', cancel_at_period_end: true });
    expect((await cancel({ at: 'now' })).expect(200).body.subscription).toMatchObject({ status: 'canceled' });
    (await cancel({ at: 'now' })).expect(404, 'subscription_not_found');
    expect((await ours.api.get(`/clients/${client.id}`)).body.client.payment_status).toBe('canceled');
  });

  test('pauseSubscription, resumeSubscription: answer 200; pausing what is not paid answers 409', async () => {
    const { client, order } = await orderedPlan(ours.api);
    const to = (act: string) => ours.api.post(`/clients/${client.id}/subscription/${act}`, {});
    (await to('pause')).expect(409, 'subscription_not_paid');
    await pay(ours.api, order);
    expect((await to('pause')).expect(200).body.subscription.status).toBe('paused');
    expect((await to('resume')).expect(200).body.subscription.status).toBe('active');
  });

  test('changeSubscriptionPlan: charges an upgrade now, and keeps a later change for the renewal', async () => {
    const { client, order } = await orderedPlan(ours.api, 10);
    await pay(ours.api, order);
    const change = (body: Json) => ours.api.post(`/clients/${client.id}/subscription/plan`, body);
    const [small, large] = [await makePlan(ours.api, { price: 5 }), await makePlan(ours.api, { price: 50 })];
    const later = (await change({ plan_id: small.id, at: 'renewal' })).expect(200).body.subscription;
    expect(later).toMatchObject({ plan_id: order.plan_id, next_plan_id: small.id });
    expect((await change({ plan_id: large.id })).expect(200).body.subscription).toMatchObject({ plan_id: large.id, next_plan_id: null });
    expect((await ours.api.get(`/orders?client_id=${client.id}&status=pending`)).body.orders).toMatchObject([{ amount: 40 }]);
    (await change({ plan_id: randomUUID() })).expect(400, 'plan_unknown');
    (await change({ plan_id: (await makePlan(ours.api, { price: 0 })).id })).expect(400, 'plan_not_priced');
  });

  test('getBillingDetails, updateBillingDetails: answer 200 with what the body named, and 404 to an unknown client', async () => {
    const { id } = await inviteClient(ours.api);
    const details = { name: 'Loaf & Co', address: 'Main Street 1\n10115 Berlin', tax_id: null };
    const path = `/clients/${id}/billing-details`;
    expect((await ours.api.get(path)).expect(200).body).toEqual({ billing_details: { name: null, address: null, tax_id: null } });
    const { name, address } = details;
    expect((await ours.api.patch(path, { name, address })).expect(200).body).toEqual({ billing_details: details });
    expect((await ours.api.get(path)).expect(200).body).toEqual({ billing_details: details });
    (await ours.api.get(`/clients/${randomUUID()}/billing-details`)).expect(404, 'client_not_found');
    (await ours.api.patch(`/clients/${randomUUID()}/billing-details`, { name })).expect(404, 'client_not_found');
  });
});

describe("a client's own billing", () => {
  test('getOwnBilling: answers 200 with its own plan, subscription and orders, and nobody else’s', async () => {
    const eve = await owner();
    const { person, client } = await clientUser(eve);
    const tax = { tax_name: 'VAT', tax_rate: 7.7, tax_included: false };
    (await eve.api.patch('/account/payments', { time_zone: 'Asia/Tokyo', ...tax })).expect(200);
    const { plan } = await orderedPlan(eve.api);
    (await eve.api.patch(`/clients/${client.id}`, { plan_id: plan.id })).expect(200);
    const { billing } = (await person.api.get('/account/billing')).expect(200).body;
    expect(OwnBilling.safeParse(billing).success).toBe(true);
    expect(billing).toMatchObject({ plan_name: 'Care', subscription: { client_id: client.id }, may_cancel: false });
    expect(billing).toMatchObject({ time_zone: 'Asia/Tokyo', ...tax });
    expect(billing.orders.map(({ client_id }: Order) => client_id)).toEqual([client.id]);
  });

  test('cancelOwnSubscription: answers 403 unless the organization allows it, then ends with the period; 404 without one', async () => {
    const eve = await owner();
    const { person, client } = await clientUser(eve);
    const cancel = () => person.api.post('/account/billing/cancel', {});
    (await cancel()).expect(404, 'subscription_not_found');
    (await eve.api.patch(`/clients/${client.id}`, { plan_id: (await makePlan(eve.api)).id })).expect(200);
    (await cancel()).expect(403, 'cancel_not_allowed');
    (await eve.api.patch('/account/payments', { clients_may_cancel: true })).expect(200);
    expect((await cancel()).expect(200).body.subscription).toMatchObject({ client_id: client.id, cancel_at_period_end: true });
    expect((await person.api.get('/account/billing')).expect(200).body.billing.may_cancel).toBe(false);
  });
});

describe('payments by card', () => {
  let eve: Person;
  beforeAll(async () => {
    eve = await owner();
    await takeCards(eve);
  });

  /** A client with an order to pay by card. */
  async function ordered() {
    const { person, client } = await clientUser(eve);
    const plan = await makePlan(eve.api);
    (await eve.api.patch(`/clients/${client.id}`, { plan_id: plan.id })).expect(200);
    const { orders } = (await eve.api.get(`/orders?client_id=${client.id}`)).expect(200).body;
    return { person, client, order: orders[0] as Order };
  }

  test('an order is paid on the page behind its invoice, and given back by updateOrder; what Stripe refuses is answered 409', async () => {
    const { order } = await ordered();
    await payByCard(eve, order);
    expect((await eve.api.get(`/orders/${order.id}`)).body.order).toMatchObject({
      provider: 'stripe',
      provider_ref: expect.stringMatching(/^pi_/),
    });
    expect((await fetch(`${order.invoice_url}/pay`, { redirect: 'manual' })).status).toBe(409);
    expect((await eve.api.patch(`/orders/${order.id}`, { status: 'refunded' })).expect(200).body.order.status).toBe('refunded');
    const disputed = (await ordered()).order;
    await payByCard(eve, disputed);
    const ref = (await eve.api.get(`/orders/${disputed.id}`)).body.order.provider_ref;
    await sharedStripe().dispute(await accountOf(ref), ref);
    (await eve.api.patch(`/orders/${disputed.id}`, { status: 'refunded' })).expect(409, 'refund_refused');
  });

  test('changeOwnCard: answers 200 with a page of Stripe, 409 without a card', async () => {
    const { person, order } = await ordered();
    (await person.api.post('/account/billing/card', {})).expect(409, 'card_missing');
    await payByCard(eve, order);
    // Stripe is asked for the card once the payment is recorded.
    await eventually(async () => {
      expect((await person.api.get('/account/billing')).body.billing.card).toMatchObject({ brand: 'visa', last4: '4242' });
    });
    expect((await person.api.post('/account/billing/card', {})).expect(200).body.url).toContain(sharedPlatform().stripeUrl);
  });

  test('an event without the signature of Stripe is answered 400, one that is too large 413', async () => {
    const send = (body: string) =>
      fetch(`${sharedPlatform().origins[0]}/payments/stripe/events`, {
        method: 'POST',
        body,
        headers: { 'stripe-signature': 't=1,v1=00' },
      });
    expect((await send('{}')).status).toBe(400);
    expect((await send('x'.repeat(600_000))).status).toBe(413);
  });
});

describe('payment settings and revenue', () => {
  let ada: Person;
  beforeAll(async () => {
    ada = await owner();
  });

  test('getPaymentSettings, updatePaymentSettings: answer 200 with exactly the contract fields, and 400 to what is none', async () => {
    const { body } = (await ada.api.get('/account/payments')).expect(200);
    expect(fieldsOf(body.payment_settings)).toEqual(fieldsOf(PaymentSettings.shape));
    const changed = { currency: 'EUR', time_zone: 'Europe/Berlin', tax_rate: 7.7, retry_days: [2, 4] };
    expect((await ada.api.patch('/account/payments', changed)).expect(200).body.payment_settings).toEqual({
      ...body.payment_settings,
      ...changed,
    });
    for (const wrong of [{ currency: 'XXQ' }, { time_zone: 'Mars' }, { tax_rate: 7.7777 }, { retry_days: [] }, { retry_days: [4, 2] }]) {
      (await ada.api.patch('/account/payments', wrong)).expect(400, 'validation_failed');
    }
  });

  test('updatePaymentSettings: the organization has the new currency, too', async () => {
    const dan = await owner();
    for (const currency of ['EUR', 'JPY', 'CHF']) (await dan.api.patch('/account/payments', { currency })).expect(200);
    await eventually(async () => {
      expect((await dan.api.get('/account/organization')).expect(200).body.organization.currency).toBe('CHF');
    });
  });

  test('updatePaymentSettings: answers 409 to another currency once there is an order', async () => {
    const bea = await owner();
    await orderedPlan(bea.api);
    (await bea.api.patch('/account/payments', { currency: 'EUR' })).expect(409, 'currency_fixed');
  });

  test('connectStripe, disconnectStripe: answer 200; 409 where Stripe does not take the currency', async () => {
    const fay = await owner();
    const { url } = (await fay.api.post('/account/payments/stripe', {})).expect(200).body;
    expect(url).toContain(sharedPlatform().stripeUrl);
    expect((await fay.api.get('/account/payments')).body.payment_settings.card_payments).toBe('incomplete');
    const off = (await fay.api.delete('/account/payments/stripe')).expect(200).body;
    expect(off.payment_settings.card_payments).toBe('not_connected');
    (await fay.api.patch('/account/payments', { currency: 'KWD' })).expect(200);
    (await fay.api.post('/account/payments/stripe', {})).expect(409, 'stripe_unavailable');
  });

  test('getRevenue: answers 200 with what was paid, by month and by plan', async () => {
    const cid = await owner();
    const { plan, order } = await orderedPlan(cid.api);
    await pay(cid.api, order);
    const { revenue } = (await cid.api.get('/account/revenue?months=3')).expect(200).body as { revenue: Revenue };
    expect(Revenue.safeParse(revenue).success).toBe(true);
    expect(revenue).toMatchObject({ currency: 'USD', mrr: 29, subscriptions: 1, past_due: 0 });
    expect(revenue.months.map(({ paid }) => paid)).toEqual([0, 0, 29]);
    expect(revenue.plans).toEqual([{ plan_id: plan.id, name: 'Care', mrr: 29, subscriptions: 1 }]);
  });

  test('createPlan, updatePlan: answer 400 to a price finer than the smallest unit of the currency', async () => {
    const { id } = await makePlan(ours.api);
    for (const price of [19.999, 1e-9]) {
      (await ours.api.post('/plans', { name: 'Fine', price })).expect(400, 'validation_failed');
      (await ours.api.patch(`/plans/${id}`, { price })).expect(400, 'validation_failed');
    }
  });
});
