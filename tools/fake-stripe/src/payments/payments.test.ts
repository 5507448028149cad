import { chargeOffSession, checkoutOf, clientOf, errorOf, offSession, openShop, type Shop } from '../testing/shop.ts';

const openCheckout = ({ client, customer }: Shop) => client.checkout.sessions.create(checkoutOf(customer));

test('an account takes payments once it is onboarded, until its charges are disabled', async () => {
  await using shop = await openShop();
  const { id } = await shop.platform.accounts.create({ country: 'DE', default_currency: 'eur', type: 'express' });
  const fresh = { charges_enabled: false, details_submitted: false, payouts_enabled: false, country: 'DE', type: 'express' };
  expect(await shop.platform.accounts.retrieve(id)).toMatchObject(fresh);
  const client = clientOf(shop.stripe, { stripeAccount: id });
  const { id: customer } = await client.customers.create();
  const pay = () => client.checkout.sessions.create(checkoutOf(customer));
  expect((await errorOf(pay())).message).toMatch('cannot currently make live charges');
  await shop.stripe.finishOnboarding(id);
  expect(await shop.platform.accounts.retrieve(id)).toMatchObject({
    charges_enabled: true,
    details_submitted: true,
    payouts_enabled: true,
  });
  expect(await pay()).toMatchObject({ status: 'open' });
  await shop.stripe.disableCharges(id);
  expect(await shop.platform.accounts.retrieve(id)).toMatchObject({
    charges_enabled: false,
    requirements: { disabled_reason: 'requirements.past_due' },
  });
  await errorOf(pay());
});

test('a paid session has a payment with what it was given, and the card is kept for later', async () => {
  await using shop = await openShop();
  const session = await openCheckout(shop);
  expect(session).toMatchObject({
    status: 'open',
    payment_status: 'unpaid',
    payment_intent: null,
    amount_total: 1000,
    client_reference_id: 'order-1',
  });
  expect(await shop.stripe.payCheckout(session.id, 'visa')).toBe('complete');
  const paid = await shop.client.checkout.sessions.retrieve(session.id);
  expect(paid).toMatchObject({ status: 'complete', payment_status: 'paid', url: null, metadata: { order: '1' } });
  const intent = await shop.client.paymentIntents.retrieve(String(paid.payment_intent));
  expect(intent).toMatchObject({ status: 'succeeded', amount: 1000, customer: shop.customer, metadata: { order: '1' } });
  const charge = await shop.client.charges.retrieve(String(intent.latest_charge));
  expect(charge).toMatchObject({ paid: true, application_fee_amount: 100, payment_intent: intent.id });
  expect(await shop.stripe.charges(shop.account)).toMatchObject([
    { payment_intent: intent.id, amount: 1000, currency: 'usd', application_fee_amount: 100, refunded: false, metadata: { order: '1' } },
  ]);
  const [method] = (await shop.client.paymentMethods.list({ customer: shop.customer, type: 'card' })).data;
  expect(method).toMatchObject({ id: intent.payment_method, customer: shop.customer, card: { last4: '4242' } });
  expect(await shop.client.paymentMethods.retrieve(method?.id ?? '')).toEqual(method);
  const later = await shop.client.paymentIntents.create(offSession(shop.customer, method?.id ?? ''));
  expect(later.status).toBe('succeeded');
});

test('a card that a session did not keep cannot be charged again', async () => {
  await using shop = await openShop();
  const params = { ...checkoutOf(shop.customer), payment_intent_data: {} };
  const { id } = await shop.client.checkout.sessions.create(params);
  await shop.stripe.payCheckout(id, 'visa');
  const { payment_intent } = await shop.client.checkout.sessions.retrieve(id, { expand: ['payment_intent'] });
  const method = String((payment_intent as { payment_method?: unknown }).payment_method);
  const error = await errorOf(shop.client.paymentIntents.create(offSession(shop.customer, method)));
  expect(error.message).toMatch('It may not be used again');
});

test('a declined card leaves a session open for another card, with one payment', async () => {
  await using shop = await openShop();
  const { id } = await openCheckout(shop);
  for (const card of ['insufficient_funds', 'expired_card'] as const) expect(await shop.stripe.payCheckout(id, card)).toBe('open');
  const failed = await shop.client.paymentIntents.retrieve(String((await shop.client.checkout.sessions.retrieve(id)).payment_intent));
  expect(failed).toMatchObject({ status: 'requires_payment_method', last_payment_error: { code: 'expired_card' }, payment_method: null });
  expect((await errorOf(shop.client.paymentIntents.cancel(failed.id))).message).toMatch('Expire the Checkout Session');
  expect(await shop.stripe.payCheckout(id, 'visa')).toBe('complete');
  expect(await shop.client.paymentIntents.retrieve(failed.id)).toMatchObject({ status: 'succeeded', last_payment_error: null });
  expect(await shop.stripe.charges(shop.account)).toHaveLength(1);
});

test('an expired session takes no payment, and cancels the one that failed', async () => {
  await using shop = await openShop();
  const { id } = await openCheckout(shop);
  await shop.stripe.payCheckout(id, 'insufficient_funds');
  const expired = await shop.client.checkout.sessions.expire(id);
  expect(expired).toMatchObject({ status: 'expired', payment_status: 'unpaid', url: null });
  expect(await shop.client.paymentIntents.retrieve(String(expired.payment_intent))).toMatchObject({ status: 'canceled' });
  expect(await shop.stripe.payCheckout(id, 'visa')).toBe('expired');
  expect((await errorOf(shop.client.checkout.sessions.expire(id))).message).toMatch('has a status of `expired`');
  expect(await shop.stripe.charges(shop.account)).toEqual([]);
});

test('a session expires by the test clock, after a day or at its own time', async () => {
  await using shop = await openShop();
  const minute = 60_000;
  const now = Math.floor((await shop.stripe.now()) / 1000);
  const early = await shop.client.checkout.sessions.create({ ...checkoutOf(shop.customer), expires_at: now + 31 * 60 });
  const usual = await openCheckout(shop);
  for (const offset of [20 * 60, 25 * 3600]) {
    const error = await errorOf(shop.client.checkout.sessions.create({ ...checkoutOf(shop.customer), expires_at: now + offset }));
    expect(error).toMatchObject({ statusCode: 400, param: 'expires_at' });
  }
  const statuses = async () => {
    const sessions = await Promise.all([early, usual].map(({ id }) => shop.client.checkout.sessions.retrieve(id)));
    return sessions.map(({ status }) => status);
  };
  await shop.stripe.advance(30 * minute);
  expect(await statuses()).toEqual(['open', 'open']);
  await shop.stripe.advance(minute);
  expect(await statuses()).toEqual(['expired', 'open']);
  await shop.stripe.advance(24 * 60 * minute);
  expect(await statuses()).toEqual(['expired', 'expired']);
  expect((await shop.client.customers.create()).created).toBeGreaterThanOrEqual(usual.expires_at);
});

test.each([
  ['insufficient_funds', 'card_declined', 'insufficient_funds'],
  ['declined_later', 'card_declined', 'generic_decline'],
  ['authentication_required', 'authentication_required', 'authentication_required'],
  ['expired_card', 'expired_card', 'expired_card'],
] as const)('%s is a 402 off session, and its payment waits for another card', async (card, code, decline_code) => {
  await using shop = await openShop();
  const error = await errorOf(chargeOffSession(shop, card));
  expect(error).toMatchObject({ type: 'StripeCardError', statusCode: 402, code, decline_code });
  const intent = await shop.client.paymentIntents.retrieve(error.payment_intent?.id ?? '');
  expect(intent).toMatchObject({ status: 'requires_payment_method', last_payment_error: { code, decline_code } });
  expect(await shop.client.charges.retrieve(String(intent.latest_charge))).toMatchObject({
    status: 'failed',
    paid: false,
    failure_code: code,
  });
  expect(await shop.stripe.charges(shop.account)).toEqual([]);
});

test.each(['declined_later', 'authentication_required'] as const)('%s pays in Checkout', async (card) => {
  await using shop = await openShop();
  expect(await shop.stripe.payCheckout((await openCheckout(shop)).id, card)).toBe('complete');
});

test('a card that needs 3-D Secure waits for it on session', async () => {
  await using shop = await openShop();
  const payment_method = await shop.stripe.setCard(shop.account, shop.customer, 'authentication_required');
  const { off_session: _off, ...params } = offSession(shop.customer, payment_method);
  expect(await shop.client.paymentIntents.create(params)).toMatchObject({
    status: 'requires_action',
    next_action: { type: 'use_stripe_sdk' },
  });
});

test('a payment that may redirect is not confirmed without a return_url', async () => {
  await using shop = await openShop();
  const { allowed_payment_method_types: _types, ...params } = offSession(
    shop.customer,
    await shop.stripe.setCard(shop.account, shop.customer, 'visa'),
  );
  expect(await errorOf(shop.client.paymentIntents.create(params))).toMatchObject({ param: 'return_url' });
  expect(await shop.client.paymentIntents.create({ ...params, return_url: 'https://agency.example/' })).toMatchObject({
    status: 'succeeded',
  });
});

test('a card is charged for its own customer alone', async () => {
  await using shop = await openShop();
  const method = await shop.stripe.setCard(shop.account, shop.customer, 'visa');
  const { id: other } = await shop.client.customers.create();
  const { customer: _customer, ...withoutCustomer } = offSession(shop.customer, method);
  for (const params of [offSession(other, method), withoutCustomer]) {
    expect(await errorOf(shop.client.paymentIntents.create(params))).toMatchObject({ statusCode: 400, param: 'payment_method' });
  }
  const settings = { invoice_settings: { default_payment_method: method } };
  await errorOf(shop.client.customers.update(other, settings));
  expect(await shop.client.customers.update(shop.customer, settings)).toMatchObject(settings);
});

test('a payment is canceled unless it has succeeded', async () => {
  await using shop = await openShop();
  const { id } = await shop.client.paymentIntents.create({ amount: 1000, currency: 'usd' });
  expect(await shop.client.paymentIntents.cancel(id, { cancellation_reason: 'abandoned' })).toMatchObject({
    status: 'canceled',
    cancellation_reason: 'abandoned',
  });
  const paid = await chargeOffSession(shop, 'visa');
  expect(await errorOf(shop.client.paymentIntents.cancel(paid.id))).toMatchObject({ code: 'payment_intent_unexpected_state' });
});

test('a charge is refunded in parts and in full, and not twice', async () => {
  await using shop = await openShop();
  const { id: payment_intent, latest_charge } = await chargeOffSession(shop, 'visa');
  const charge = String(latest_charge);
  await shop.client.refunds.create({ payment_intent, amount: 400, metadata: { order: '2' } });
  expect(await errorOf(shop.client.refunds.create({ charge, amount: 601 }))).toMatchObject({ statusCode: 400, param: 'amount' });
  expect(await shop.client.refunds.create({ charge })).toMatchObject({ amount: 600, status: 'succeeded', payment_intent });
  expect(await errorOf(shop.client.refunds.create({ payment_intent }))).toMatchObject({ statusCode: 400, code: 'charge_already_refunded' });
  expect((await shop.client.refunds.list({ payment_intent })).data.map(({ amount }) => amount)).toEqual([600, 400]);
  expect((await shop.client.refunds.list({ charge: 'ch_other' })).data).toEqual([]);
  expect(await shop.stripe.charges(shop.account)).toMatchObject([{ refunded: true, amount_refunded: 1000 }]);
});

test('a payment that did not succeed cannot be refunded', async () => {
  await using shop = await openShop();
  const { id } = await shop.client.paymentIntents.create({ amount: 1000, currency: 'usd' });
  expect((await errorOf(shop.client.refunds.create({ payment_intent: id }))).message).toMatch('does not have a successful charge');
});

test('a refund of the dashboard is a refund like any other', async () => {
  await using shop = await openShop();
  const { id } = await chargeOffSession(shop, 'visa');
  const refund = await shop.stripe.refundOutside(shop.account, id);
  expect((await shop.client.refunds.list({ payment_intent: id })).data).toMatchObject([{ id: refund, amount: 1000 }]);
});

test.each([
  ['won', true],
  ['lost', false],
] as const)('a disputed charge is refundable again only if the dispute is won: %s', async (outcome, isRefundable) => {
  await using shop = await openShop();
  const { id: payment_intent } = await chargeOffSession(shop, 'visa');
  const dispute = await shop.stripe.dispute(shop.account, payment_intent);
  expect(await shop.client.disputes.retrieve(dispute)).toMatchObject({ status: 'needs_response', amount: 1000, payment_intent });
  expect(await shop.stripe.charges(shop.account)).toMatchObject([{ disputed: true }]);
  expect(await errorOf(shop.client.refunds.create({ payment_intent }))).toMatchObject({ code: 'charge_disputed' });
  await shop.stripe.closeDispute(shop.account, dispute, outcome);
  expect(await shop.client.disputes.retrieve(dispute)).toMatchObject({ status: outcome });
  const refund = shop.client.refunds.create({ payment_intent });
  if (isRefundable) expect(await refund).toMatchObject({ amount: 1000 });
  else expect(await errorOf(refund)).toMatchObject({ code: 'charge_disputed' });
});

test('a portal session needs a configuration, as the account has no default', async () => {
  await using shop = await openShop();
  const params = { customer: shop.customer, return_url: 'https://agency.example/' };
  expect((await errorOf(shop.client.billingPortal.sessions.create(params))).message).toMatch('No configuration provided');
  const { id: configuration } = await shop.client.billingPortal.configurations.create({
    features: { payment_method_update: { enabled: true } },
  });
  expect(await shop.client.billingPortal.sessions.create({ ...params, configuration })).toMatchObject({ customer: shop.customer });
});
