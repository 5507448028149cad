import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Stripe from 'stripe';
import { type DeliveryOptions, fakeStripeAt } from './controls.ts';
import { chargeOffSession, checkoutOf, errorOf, openShop } from './testing/shop.ts';

interface Received {
  readonly body: string;
  readonly signature: string;
  readonly event: Stripe.Event;
}

/** A webhook endpoint that answers with `statuses` in turn, then with 200. */
async function openEndpoint(statuses: number[] = []) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push({ body, signature: String(request.headers['stripe-signature']), event: JSON.parse(body) });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return {
    received,
    types: () => received.map(({ event }) => event.type),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`,
    [Symbol.asyncDispose]: close,
  };
}

const verify = (body: string, signature: string, secret: string) => Stripe.webhooks.constructEvent(body, signature, secret);

test('each change is an event of its account, in the list and delivered', async () => {
  await using endpoint = await openEndpoint();
  await using shop = await openShop({ webhookUrl: endpoint.url });
  const { stripe, client, account, customer } = shop;
  const { id } = await client.checkout.sessions.create(checkoutOf(customer));
  await stripe.payCheckout(id, 'insufficient_funds');
  await stripe.payCheckout(id, 'visa');
  const unpaid = await client.checkout.sessions.create(checkoutOf(customer));
  await client.checkout.sessions.expire(unpaid.id);
  const { id: intent } = await client.paymentIntents.create({ amount: 1000, currency: 'usd' });
  await client.paymentIntents.cancel(intent);
  const [charge] = await stripe.charges(account);
  const dispute = await stripe.dispute(account, charge?.payment_intent ?? '');
  await stripe.closeDispute(account, dispute, 'won');
  await stripe.refundOutside(account, charge?.payment_intent ?? '');
  await stripe.setCard(account, customer, 'visa');
  await stripe.settleDeliveries();
  const expected = [
    'account.updated',
    'payment_intent.payment_failed',
    'charge.succeeded',
    'payment_method.attached',
    'payment_intent.succeeded',
    'checkout.session.completed',
    'checkout.session.expired',
    'payment_intent.canceled',
    'charge.dispute.created',
    'charge.dispute.closed',
    'charge.refunded',
    'payment_method.attached',
    'customer.updated',
  ];
  expect((await stripe.events(account)).map(({ type }) => type)).toEqual(expected);
  expect(endpoint.types().toSorted()).toEqual(expected.toSorted());
  for (const { event } of endpoint.received) {
    expect(event).toMatchObject({ object: 'event', account, livemode: false, api_version: Stripe.API_VERSION });
  }
  const listed = (await client.events.list({ limit: 100 })).data;
  expect(listed.map(({ type }) => type)).toEqual(expected.toReversed());
  expect(await client.events.retrieve(listed[0]?.id ?? '')).toEqual(listed[0]);
});

test('an event has the object as it was then, and what changed', async () => {
  await using shop = await openShop();
  const { id } = await chargeOffSession(shop, 'visa');
  await shop.stripe.refundOutside(shop.account, id);
  const [before] = (await shop.client.events.list({ types: ['charge.succeeded'] })).data;
  const [refunded] = (await shop.client.events.list({ types: ['charge.refunded'] })).data;
  expect(before?.data.object).toMatchObject({ refunded: false, amount_refunded: 0 });
  expect(refunded?.data).toMatchObject({ object: { refunded: true }, previous_attributes: { refunded: false, amount_refunded: 0 } });
});

test('an event names the request that caused it', async () => {
  await using shop = await openShop();
  const intent = await chargeOffSession(shop, 'visa', { idempotencyKey: 'pay-1' });
  const [event] = (await shop.client.events.list({ type: 'payment_intent.succeeded' })).data;
  expect(event?.request).toEqual({ id: intent.lastResponse.requestId, idempotency_key: 'pay-1' });
});

test('the list of events goes back by type and time, for 30 days', async () => {
  await using shop = await openShop();
  await chargeOffSession(shop, 'visa');
  await shop.stripe.advance(29 * 86_400_000);
  const since = Math.floor((await shop.stripe.now()) / 1000);
  await chargeOffSession(shop, 'visa');
  const types = ['charge.succeeded', 'payment_intent.succeeded'];
  expect((await shop.client.events.list({ types })).data).toHaveLength(4);
  expect((await shop.client.events.list({ types, created: { gte: since } })).data).toHaveLength(2);
  await shop.stripe.advance(2 * 86_400_000);
  expect((await shop.client.events.list({ types })).data).toHaveLength(2);
});

test('a delivery has a signature that the official client accepts, and no other', async () => {
  await using endpoint = await openEndpoint();
  await using shop = await openShop({ webhookUrl: endpoint.url, webhookSecret: 'whsec_test' });
  await shop.stripe.settleDeliveries();
  const [{ body, signature, event } = { body: '', signature: '', event: undefined }] = endpoint.received;
  expect(verify(body, signature, 'whsec_test')).toEqual(event);
  expect(() => verify(body, signature, 'whsec_other')).toThrow(Stripe.errors.StripeSignatureVerificationError);
  expect(() => verify(JSON.stringify(event), signature, 'whsec_test')).toThrow(Stripe.errors.StripeSignatureVerificationError);
});

test('a signature can be forged and dated back', async () => {
  await using shop = await openShop({ webhookSecret: 'whsec_test' });
  const [event] = await shop.stripe.events();
  const { body, signature } = await shop.stripe.signed(event);
  expect(verify(body, signature, 'whsec_test')).toEqual(event);
  const forged = await shop.stripe.signed(event, { secret: 'whsec_other' });
  expect(() => verify(forged.body, forged.signature, 'whsec_test')).toThrow(Stripe.errors.StripeSignatureVerificationError);
  const old = await shop.stripe.signed(event, { at: Date.now() - 600_000 });
  expect(() => verify(old.body, old.signature, 'whsec_test')).toThrow('Timestamp outside the tolerance zone');
});

test('a delivery that fails is retried until it succeeds', async () => {
  await using endpoint = await openEndpoint([500, 302, 404]);
  await using shop = await openShop();
  await shop.stripe.sendEventsTo(endpoint.url);
  await shop.stripe.disableCharges(shop.account);
  await shop.stripe.settleDeliveries();
  expect(endpoint.received).toHaveLength(4);
  expect(new Set(endpoint.received.map(({ event }) => event.id)).size).toBe(1);
  expect((await shop.platform.events.list()).data).toEqual([]);
  expect((await shop.client.events.list({ limit: 1 })).data).toMatchObject([{ pending_webhooks: 0 }]);
});

test('held events are delivered as often and in the order that is asked for', async () => {
  await using endpoint = await openEndpoint();
  await using shop = await openShop();
  await shop.stripe.sendEventsTo(endpoint.url);
  const expected = ['payment_method.attached', 'customer.updated', 'charge.succeeded', 'payment_intent.succeeded'];
  const orderOf = async (options: DeliveryOptions) => {
    endpoint.received.length = 0;
    await shop.stripe.holdEvents();
    await chargeOffSession(shop, 'visa');
    expect(endpoint.received).toEqual([]);
    await shop.stripe.deliverEvents(options);
    return endpoint.types();
  };
  expect(await orderOf({})).toEqual(expected);
  const shuffled = [];
  for (const shuffleSeed of [1, 1, 2, 3, 4]) shuffled.push(await orderOf({ times: 2, shuffleSeed }));
  for (const order of shuffled) expect(order.toSorted()).toEqual([...expected, ...expected].toSorted());
  expect(shuffled[1]).toEqual(shuffled[0]);
  expect(new Set(shuffled.map(String)).size).toBeGreaterThan(1);
});

test('some of the held events are delivered first, and the others stay held', async () => {
  await using endpoint = await openEndpoint([200, 500]);
  await using shop = await openShop();
  await shop.stripe.sendEventsTo(endpoint.url);
  await shop.stripe.holdEvents();
  await chargeOffSession(shop, 'visa');
  const delivered = await shop.stripe.deliverEvents({ only: ['charge.succeeded'], times: 2 });
  expect(delivered).toMatchObject([{ type: 'charge.succeeded', statuses: [200, 500] }]);
  await shop.stripe.disableCharges(shop.account);
  expect((await shop.stripe.deliverEvents()).map(({ type }) => type)).toEqual([
    ...['payment_method.attached', 'customer.updated', 'payment_intent.succeeded', 'account.updated'],
  ]);
  await shop.stripe.finishOnboarding(shop.account);
  await shop.stripe.settleDeliveries();
  expect(endpoint.types().at(-1)).toBe('account.updated');
  expect(endpoint.received).toHaveLength(7);
});

test('dropped events are never delivered, and the list has them as not delivered', async () => {
  await using endpoint = await openEndpoint();
  await using shop = await openShop();
  await shop.stripe.sendEventsTo(endpoint.url);
  await shop.stripe.holdEvents();
  await shop.stripe.disableCharges(shop.account);
  await shop.stripe.dropEvents();
  await shop.stripe.finishOnboarding(shop.account);
  await shop.stripe.settleDeliveries();
  expect(endpoint.received).toMatchObject([{ event: { data: { object: { charges_enabled: true } } } }]);
  const lost = (await shop.client.events.list({ delivery_success: false })).data;
  expect(lost).toMatchObject([{ type: 'account.updated', data: { object: { charges_enabled: false } } }]);
});

test('an event is delivered again, as the same event', async () => {
  await using endpoint = await openEndpoint();
  await using shop = await openShop({ webhookUrl: endpoint.url });
  await shop.stripe.settleDeliveries();
  const [first] = endpoint.received;
  expect(await shop.stripe.resend(first?.event.id ?? '')).toMatchObject({ statuses: [200] });
  expect(endpoint.received.map(({ event }) => event)).toEqual([first?.event, first?.event]);
});

test('another process has every control over HTTP', async () => {
  await using shop = await openShop();
  const remote = fakeStripeAt(shop.stripe.url);
  const { id } = await shop.client.checkout.sessions.create(checkoutOf(shop.customer));
  expect(await remote.payCheckout(id, 'visa')).toBe('complete');
  expect(await remote.charges(shop.account)).toEqual(await shop.stripe.charges(shop.account));
  expect(await remote.events()).toEqual(await shop.stripe.events());
  expect(await remote.charges(null)).toEqual([]);
  await remote.failNext({ method: 'GET', path: '/v1/customers/{customer}', when: 'before', how: 500 });
  await errorOf(shop.client.customers.retrieve(shop.customer));
  await expect(remote.payCheckout('cs_unknown', 'visa')).rejects.toThrow('there is no Checkout session cs_unknown');
});
