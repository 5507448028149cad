import { call } from '@webkiln/rpc';
import { requestsOn, testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { loseOutcome } from '../testing/died-attempt.ts';
import { present, refusal } from '../testing/expectations.ts';
import { newClient, newPlan } from '../testing/records.ts';
import { newOrganization, ownerOf, repeatable, useClientsPlans } from '../testing/running-service.ts';
import { published } from '../testing/test-stream.ts';
import { orderPage, overdueAt } from './billing-store.ts';
import { renewDue } from './renewals.ts';

const stream = useClientsPlans();

const email = 'ada@example.com';
const ordersOf = async (org: string, more: { client_id?: string; status?: string; overdue?: string } = {}) =>
  (await call('billing.ListOrders', { offset: 0, ...more }, testCaller(org))).orders;
const subscriptionOf = async (org: string, client_id: string) =>
  present((await call('billing.GetSubscription', { client_id }, testCaller(org))).subscription);
const clientOf = async (org: string, client_id: string) =>
  present((await call('clients.GetClient', { client_id }, testCaller(org))).client);
const setOrder = async (org: string, order_id: string, status: string) =>
  present((await call('billing.UpdateOrder', { order_id, status, update_mask: ['status'] }, testCaller(org))).order);
const setClient = (
  org: string,
  client_id: string,
  fields: { plan_id?: string; status?: string; name?: string },
  mask = Object.keys(fields),
) => call('clients.UpdateClient', { client_id, ...fields, update_mask: mask }, testCaller(org));
const settings = (org: string, fields: Record<string, unknown>) =>
  call('billing.UpdatePaymentSettings', { ...fields, update_mask: Object.keys(fields) } as never, ownerOf(org));
const paymentsOf = async (org: string) => (await published(stream, 'payment.received')).filter(({ org_id }) => org_id === org);
const stored = (collection: string, org_id: string) => mongoose.connection.collection(collection).find({ org_id }).toArray();
const days = (count: number) => new Date(Date.now() + count * 86_400_000);

/** A client with a priced plan, whose first order is paid. */
async function payingClient(org: string, wanted: Parameters<typeof newPlan>[1] = {}) {
  const plan_id = await newPlan(org, wanted);
  const client_id = await newClient(org, { email, plan_id });
  const [order] = await ordersOf(org);
  await setOrder(org, present(order).id, 'paid');
  return { plan_id, client_id, order_id: present(order).id };
}

describe('a priced plan', () => {
  test('opens a subscription and a pending order, as the client is created', async () => {
    const org = newOrganization();
    const plan_id = await newPlan(org);
    const client_id = await newClient(org, { email, plan_id });
    expect(await ordersOf(org)).toEqual([
      {
        id: expect.any(String),
        ...{ client_id, plan_id, amount: 19.9, currency: 'USD', status: 'pending', provider: 'manual' },
        invoice_url: expect.stringMatching(/^https:\/\/platform\.example\/invoice\//),
        ...{ period_start: expect.any(String), period_end: expect.any(String), created_at: expect.any(String) },
      },
    ]);
    expect(await subscriptionOf(org, client_id)).toMatchObject({ client_id, plan_id, status: 'incomplete', amount: 19.9 });
    expect(await clientOf(org, client_id)).toMatchObject({ payment_status: 'none' });
  });

  test('opens one, however often the request is repeated after a crash', async () => {
    const org = newOrganization();
    const plan_id = await newPlan(org);
    const key = newOrganization();
    const create = () => call('clients.CreateClient', { email, plan_id }, testCaller(org, repeatable(key)));
    const first = await create();
    await loseOutcome(key);
    expect(await create()).toEqual(first);
    expect([await stored('subscriptions', org), await stored('orders', org)].map(({ length }) => length)).toEqual([1, 1]);
  });

  test('opens one as it is attached, and a free plan opens none', async () => {
    const org = newOrganization();
    const client_id = await newClient(org, { email, plan_id: await newPlan(org, { price: 0 }) });
    expect(await ordersOf(org)).toEqual([]);
    await expect(subscriptionOf(org, client_id)).rejects.toEqual(refusal('subscription_not_found'));
    const plan_id = await newPlan(org);
    await setClient(org, client_id, { plan_id });
    expect(await ordersOf(org)).toMatchObject([{ client_id, plan_id, status: 'pending' }]);
  });

  test('detached ends the subscription, and cancels what is open', async () => {
    const org = newOrganization();
    const { client_id } = await payingClient(org);
    await setClient(org, client_id, {}, ['plan_id']);
    expect(await subscriptionOf(org, client_id)).toMatchObject({ status: 'canceled' });
    expect(await clientOf(org, client_id)).toMatchObject({ payment_status: 'canceled' });
  });

  test('of a client who leaves ends, in the same write as its status', async () => {
    const org = newOrganization();
    const { client_id } = await payingClient(org);
    await setClient(org, client_id, { status: 'churned' });
    expect(await subscriptionOf(org, client_id)).toMatchObject({ status: 'canceled' });
    expect(await clientOf(org, client_id)).toMatchObject({ status: 'churned', payment_status: 'canceled' });
  });

  test('that costs more is charged for the rest of the period', async () => {
    const org = newOrganization();
    const { client_id } = await payingClient(org, { price: 10 });
    await setClient(org, client_id, { plan_id: await newPlan(org, { price: 30 }) });
    const [upgrade] = await ordersOf(org, { status: 'pending' });
    expect(upgrade).toMatchObject({ amount: 20 });
  });

  test('with a price finer than the smallest unit of the currency is refused, and said why', async () => {
    const org = newOrganization();
    await expect(newPlan(org, { price: 19.999 })).rejects.toMatchObject({
      ...{ code: 'validation_failed', details: [{ path: 'price', message: 'must have at most 2 decimals in USD' }] },
    });
    await settings(org, { currency: 'JPY' });
    await expect(newPlan(org, { price: 0.5 })).rejects.toEqual(refusal('validation_failed'));
    const plan_id = await newPlan(org, { price: 500 });
    const update = { plan_id, price: 1e-9, update_mask: ['price'] };
    await expect(call('plans.UpdatePlan', update, testCaller(org))).rejects.toEqual(refusal('validation_failed'));
  });
});

describe('an order', () => {
  test('that is paid raises payment.received once, and makes its client active', async () => {
    const org = newOrganization();
    const { client_id, order_id } = await payingClient(org);
    const order = await setOrder(org, order_id, 'paid');
    expect(order).toMatchObject({ status: 'paid', paid_at: expect.any(String) });
    const client = await clientOf(org, client_id);
    expect(client).toMatchObject({ payment_status: 'active' });
    expect((await paymentsOf(org)).map(({ data }) => data)).toEqual([
      { order: { ...order, provider_ref: null }, client: { name: null, company: null, ...client } },
    ]);
    const updates = (await published(stream, 'client.updated')).filter(({ org_id }) => org_id === org);
    expect(updates.map(({ data }) => data.previous)).toEqual([{ payment_status: 'none' }]);
  });

  test('that is paid by many requests at once is paid once', async () => {
    const org = newOrganization();
    await newClient(org, { email, plan_id: await newPlan(org) });
    const id = present((await ordersOf(org))[0]).id;
    await Promise.all(Array.from({ length: 10 }, () => setOrder(org, id, 'paid')));
    expect(await paymentsOf(org)).toHaveLength(1);
    expect(await stored('revenue_months', org)).toMatchObject([{ paid: 1990, opened: 1, started: 1, canceled: 0 }]);
  });

  test.each([
    ['paid', 'failed'],
    ['paid', 'canceled'],
    ['refunded', 'paid'],
    ['canceled', 'paid'],
    ['failed', 'refunded'],
  ])('that is %s cannot become %s', async (first, then) => {
    const org = newOrganization();
    await newClient(org, { email, plan_id: await newPlan(org) });
    const id = present((await ordersOf(org))[0]).id;
    if (first === 'refunded') await setOrder(org, id, 'paid');
    await setOrder(org, id, first);
    await expect(setOrder(org, id, then)).rejects.toEqual(refusal('order_status_refused'));
  });

  test('is overdue while it is open after its day', async () => {
    const org = newOrganization();
    const { client_id } = await payingClient(org);
    const overdue = async (more: { client_id?: string; status?: string } = {}) =>
      (await ordersOf(org, { overdue: 'true', ...more })).map(({ id }) => id);
    await newClient(org, { email: 'bob@example.com', plan_id: await newPlan(org) });
    const [late] = await ordersOf(org, { status: 'pending' });
    const id = present(late).id;
    expect(await overdue()).toEqual([]);
    await setOrder(org, id, 'failed');
    expect([await overdue(), await overdue({ status: 'failed' })]).toEqual([[id], [id]]);
    expect([await overdue({ client_id }), await overdue({ status: 'pending' }), await overdue({ status: 'paid' })]).toEqual([[], [], []]);
    await setOrder(org, id, 'paid');
    expect([await overdue(), await overdue({ status: 'paid' })]).toEqual([[], []]);
  });

  test('that is overdue is found among many without reading others', async () => {
    const org = newOrganization();
    await newClient(org, { email, plan_id: await newPlan(org) });
    const [order] = await stored('orders', org);
    const copies = Array.from({ length: 80 }, (_, at) => ({
      ...{ ...order, _id: newOrganization() as never, number: at + 2, created_at: days(at - 200) },
      ...{ status: at % 10 === 0 ? 'pending' : 'paid', due_at: days(at % 20 === 0 ? -1 : 5) },
    }));
    await mongoose.connection.collection('orders').insertMany(copies);
    const operations = await requestsOn('orders', () => orderPage({ org_id: org }, overdueAt(days(0)), { limit: 50, offset: 0 }));
    const found = present(operations.find(({ op }) => op === 'query'));
    expect(found).toMatchObject({ docsExamined: 4, nreturned: 4 });
    expect(found).not.toHaveProperty('hasSortStage');
  });

  test('that is refunded leaves the subscription as it is', async () => {
    const org = newOrganization();
    const { client_id, order_id } = await payingClient(org);
    expect(await setOrder(org, order_id, 'refunded')).toMatchObject({ status: 'refunded' });
    expect(await subscriptionOf(org, client_id)).toMatchObject({ status: 'active' });
  });

  test('is changed only in the state that the caller has seen', async () => {
    const org = newOrganization();
    const { order_id } = await payingClient(org);
    const change = { order_id, status: 'refunded', update_mask: ['status'] };
    await expect(call('billing.UpdateOrder', change, testCaller(org, { ifMatch: '"r1"' }))).rejects.toEqual(refusal('edited_meanwhile'));
  });

  test('of another organization, an unknown and a malformed one give order_not_found', async () => {
    const org = newOrganization();
    const { order_id } = await payingClient(newOrganization());
    for (const unknown of [order_id, newOrganization(), 'nonsense']) {
      await expect(call('billing.GetOrder', { order_id: unknown }, testCaller(org))).rejects.toEqual(refusal('order_not_found'));
      await expect(setOrder(org, unknown, 'paid')).rejects.toEqual(refusal('order_not_found'));
    }
  });

  test('has the next invoice number of its organization, without gaps, also of requests at once', async () => {
    const org = newOrganization();
    const plan_id = await newPlan(org);
    await Promise.all(Array.from({ length: 20 }, (_, at) => newClient(org, { email: `c${at}@example.com`, plan_id })));
    const numbers = (await stored('orders', org)).map(({ number }) => number).toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  });
});

describe('a renewal', () => {
  test('charges the price of that moment, for the next period, once, whichever processes see it', async () => {
    const org = newOrganization();
    const { plan_id, client_id } = await payingClient(org);
    await call('plans.UpdatePlan', { plan_id, price: 25, update_mask: ['price'] }, testCaller(org));
    await Promise.all([renewDue(days(32)), renewDue(days(32)), renewDue(days(32))]);
    const first = await subscriptionOf(org, client_id);
    expect(await ordersOf(org, { status: 'pending' })).toMatchObject([{ amount: 25, period_start: first.period_start }]);
    expect(first).toMatchObject({ status: 'active', amount: 25 });
  });

  test('that is not paid makes the client past due, and after the retry days ends the subscription', async () => {
    const org = newOrganization();
    const { client_id } = await payingClient(org);
    await renewDue(days(32));
    await renewDue(days(50));
    expect(await clientOf(org, client_id)).toMatchObject({ payment_status: 'past_due' });
    await renewDue(days(60));
    expect(await clientOf(org, client_id)).toMatchObject({ payment_status: 'canceled' });
    expect((await ordersOf(org)).map(({ status }) => status).toSorted()).toEqual(['canceled', 'paid']);
    expect(await stored('subscriptions', org)).toMatchObject([{ due_at: null, live_client_id: null }]);
  });

  test('changes the plan of the client where that was asked for', async () => {
    const org = newOrganization();
    const { client_id } = await payingClient(org);
    const plan_id = await newPlan(org, { price: 5 });
    await call('billing.ChangeSubscriptionPlan', { client_id, plan_id, at: 'renewal' }, testCaller(org));
    expect(await clientOf(org, client_id)).not.toMatchObject({ plan_id });
    await renewDue(days(32));
    expect(await clientOf(org, client_id)).toMatchObject({ plan_id });
  });
});

describe('a subscription', () => {
  test('that has ended is opened again, and one that goes on is not', async () => {
    const org = newOrganization();
    const { plan_id, client_id } = await payingClient(org);
    const open = () => call('billing.OpenSubscription', { client_id, plan_id }, testCaller(org));
    await expect(open()).rejects.toEqual(refusal('subscription_live'));
    await call('billing.CancelSubscription', { client_id, at: 'now' }, testCaller(org));
    expect((await open()).subscription).toMatchObject({ status: 'incomplete', plan_id });
  });

  test('to a free plan is refused', async () => {
    const org = newOrganization();
    const client_id = await newClient(org, { email });
    const plan_id = await newPlan(org, { price: 0 });
    await expect(call('billing.OpenSubscription', { client_id, plan_id }, testCaller(org))).rejects.toEqual(refusal('plan_not_priced'));
  });

  test('is paused and resumed, but not before it is paid', async () => {
    const org = newOrganization();
    const { client_id } = await payingClient(org);
    const paused = await call('billing.PauseSubscription', { client_id }, testCaller(org));
    expect(paused.subscription).toMatchObject({ status: 'paused' });
    expect((await call('billing.ResumeSubscription', { client_id }, testCaller(org))).subscription).toMatchObject({ status: 'active' });
    const unpaid = await newClient(org, { email: 'bob@example.com', plan_id: await newPlan(org) });
    await expect(call('billing.PauseSubscription', { client_id: unpaid }, testCaller(org))).rejects.toEqual(
      refusal('subscription_not_paid'),
    );
  });
});

describe('after the end of a subscription', () => {
  /** A client whose subscription has ended, in an organization that gives 10 days of grace. */
  async function ended() {
    const org = newOrganization();
    await settings(org, { grace_days: 10 });
    const paying = await payingClient(org);
    await setClient(org, paying.client_id, { status: 'active' });
    await call('billing.CancelSubscription', { client_id: paying.client_id, at: 'now' }, testCaller(org));
    return { org, ...paying };
  }

  test('the client is suspended when its days of grace are over, and active again once it pays for a new one', async () => {
    const { org, client_id, plan_id } = await ended();
    await renewDue(days(9));
    expect(await clientOf(org, client_id)).toMatchObject({ status: 'active' });
    await renewDue(days(11));
    expect(await clientOf(org, client_id)).toMatchObject({ status: 'suspended', payment_status: 'canceled' });
    await call('billing.OpenSubscription', { client_id, plan_id }, testCaller(org));
    const [order] = await ordersOf(org, { status: 'pending' });
    await setOrder(org, present(order).id, 'paid');
    expect(await clientOf(org, client_id)).toMatchObject({ status: 'active', payment_status: 'active' });
  });

  test('a client who has subscribed again meanwhile is not suspended', async () => {
    const { org, client_id, plan_id } = await ended();
    await call('billing.OpenSubscription', { client_id, plan_id }, testCaller(org));
    await renewDue(days(11));
    expect(await clientOf(org, client_id)).toMatchObject({ status: 'active' });
  });

  test('a payment does not let in a client whom the organization itself has suspended', async () => {
    const { org, client_id, plan_id } = await ended();
    await renewDue(days(11));
    await setClient(org, client_id, { status: 'active' });
    await setClient(org, client_id, { status: 'suspended' });
    await call('billing.OpenSubscription', { client_id, plan_id }, testCaller(org));
    const [order] = await ordersOf(org, { status: 'pending' });
    await setOrder(org, present(order).id, 'paid');
    expect(await clientOf(org, client_id)).toMatchObject({ status: 'suspended' });
  });
});

describe('payment settings', () => {
  test('are those of the organization, and each change is audited', async () => {
    const org = newOrganization();
    const changed = await settings(org, { currency: 'EUR', tax_rate: 19, retry_days: [1, 2] });
    expect(changed.payment_settings).toMatchObject({ currency: 'EUR', tax_rate: 19, retry_days: [1, 2], payment_days: 14 });
    expect((await call('billing.GetPaymentSettings', {}, ownerOf(org))).payment_settings).toEqual(changed.payment_settings);
    const acts = (await published(stream, 'internal.audited')).filter(({ org_id }) => org_id === org);
    expect(acts.map(({ data }) => data.action)).toEqual(['payment_settings.changed']);
  });

  test('keep their currency once there is an order', async () => {
    const org = newOrganization();
    await payingClient(org);
    await expect(settings(org, { currency: 'EUR' })).rejects.toEqual(refusal('currency_fixed'));
  });

  test.each([{ currency: 'XXQ' }, { time_zone: 'Mars/Olympus' }, { retry_days: [5, 3] }])('%j is refused', async (fields) => {
    await expect(settings(newOrganization(), fields)).rejects.toEqual(refusal('validation_failed'));
  });
});

test('an invoice keeps what it said when it was opened', async () => {
  const org = newOrganization();
  await settings(org, { issuer_name: 'Brandt Studio', tax_name: 'VAT', tax_rate: 19, invoice_prefix: 'R-' });
  const client_id = await newClient(org, { email });
  await call('billing.UpdateBillingDetails', { client_id, name: 'Ada Ltd', update_mask: ['name'] }, testCaller(org));
  await setClient(org, client_id, { plan_id: await newPlan(org) });
  await settings(org, { issuer_name: 'Other' });
  await call('billing.UpdateBillingDetails', { client_id, name: 'Other', update_mask: ['name'] }, testCaller(org));
  expect(await stored('orders', org)).toMatchObject([
    { tax: 318, invoice: { issuer: { name: 'Brandt Studio' }, customer: { name: 'Ada Ltd', email }, item: 'Studio', prefix: 'R-' } },
  ]);
});

test('revenue is what was paid and paid back, what recurs, and what is overdue', async () => {
  const org = newOrganization();
  const { order_id } = await payingClient(org, { price: 30 });
  const plan_id = await newPlan(org, { price: 120, interval: 'yearly' });
  await newClient(org, { email: 'bob@example.com', plan_id });
  const [second] = await ordersOf(org, { status: 'pending' });
  await setOrder(org, present(second).id, 'paid');
  await setOrder(org, order_id, 'refunded');
  const { revenue } = await call('billing.GetRevenue', { months: 2 }, ownerOf(org));
  expect(revenue).toMatchObject({ currency: 'USD', mrr: 40, subscriptions: 2, past_due: 0, past_due_clients: 0 });
  expect(present(revenue).months.map(({ paid, refunded, opened }) => [paid, refunded, opened])).toEqual([
    [0, 0, 0],
    [150, 30, 2],
  ]);
  expect(present(revenue).plans.map(({ mrr, subscriptions }) => [mrr, subscriptions])).toEqual([
    [30, 1],
    [10, 1],
  ]);
});
