import { startFakeStripe } from '../server.ts';
import { chargeOffSession, checkoutOf, clientOf, errorOf, offSession, openShop } from '../testing/shop.ts';

test('a request without the secret key is refused with 401', async () => {
  await using stripe = await startFakeStripe();
  expect(await errorOf(clientOf({ ...stripe, secretKey: 'sk_test_wrong' }).customers.create())).toMatchObject({
    statusCode: 401,
    type: 'StripeAuthenticationError',
  });
  expect((await fetch(`${stripe.url}/v1/customers`, { method: 'POST' })).status).toBe(401);
});

test('an unknown account is refused with 403, as an account and as the header', async () => {
  await using stripe = await startFakeStripe();
  const refused = { statusCode: 403, code: 'account_invalid', type: 'StripePermissionError' };
  expect(await errorOf(clientOf(stripe).accounts.retrieve('acct_unknown'))).toMatchObject(refused);
  expect(await errorOf(clientOf(stripe, { stripeAccount: 'acct_unknown' }).customers.create())).toMatchObject(refused);
});

test('an object of another account or of the platform does not exist, in the URL nor in a parameter', async () => {
  await using shop = await openShop();
  const { id: other } = await shop.platform.accounts.create();
  await shop.stripe.finishOnboarding(other);
  const elsewhere = [shop.platform, clientOf(shop.stripe, { stripeAccount: other })];
  for (const client of elsewhere) {
    const missing = { code: 'resource_missing', type: 'StripeInvalidRequestError' };
    expect(await errorOf(client.customers.retrieve(shop.customer))).toMatchObject({ ...missing, statusCode: 404, param: 'id' });
    const create = client.checkout.sessions.create({ ...checkoutOf(shop.customer), payment_intent_data: {} });
    expect(await errorOf(create)).toMatchObject({ ...missing, statusCode: 400, param: 'customer' });
    expect((await client.events.list()).data.map(({ type }) => type)).not.toContain('customer.updated');
  }
});

test('an unknown parameter is refused by its name, nested ones too', async () => {
  await using shop = await openShop();
  const refusals = [
    [{ colour: 'red' }, 'colour'],
    [{ invoice_settings: { colour: 'red' } }, 'invoice_settings[colour]'],
  ] as const;
  for (const [params, param] of refusals) {
    const error = await errorOf(shop.client.customers.create(params as object));
    expect(error).toMatchObject({ statusCode: 400, code: 'parameter_unknown', param });
    expect(error.message).toBe(`Received unknown parameter: ${param}`);
  }
  expect(
    await errorOf(shop.client.checkout.sessions.create({ ...checkoutOf(shop.customer), line_items: [{ pric: '1' } as object] })),
  ).toMatchObject({
    code: 'parameter_unknown',
    param: 'line_items[0][pric]',
  });
});

test('a missing or invalid parameter is refused by its name', async () => {
  await using shop = await openShop();
  const valid = offSession(shop.customer, await shop.stripe.setCard(shop.account, shop.customer, 'visa'));
  const { amount: _amount, ...withoutAmount } = valid;
  const intents = shop.client.paymentIntents;
  expect(await errorOf(intents.create(withoutAmount as never))).toMatchObject({ code: 'parameter_missing', param: 'amount' });
  expect(await errorOf(intents.create({ ...valid, amount: 1.5 }))).toMatchObject({ code: 'parameter_invalid_integer', param: 'amount' });
  expect(await errorOf(intents.create({ ...valid, amount: 49 }))).toMatchObject({ code: 'amount_too_small', param: 'amount' });
  expect(await errorOf(intents.create({ ...valid, customer: '' }))).toMatchObject({ code: 'parameter_invalid_empty', param: 'customer' });
  const sessions = shop.client.checkout.sessions;
  expect(await errorOf(sessions.create({ ...checkoutOf(shop.customer), success_url: 'nowhere' }))).toMatchObject({
    code: 'url_invalid',
    param: 'success_url',
  });
  expect(await errorOf(shop.platform.paymentIntents.create({ amount: 1000, currency: 'usd', application_fee_amount: 1 }))).toMatchObject({
    statusCode: 400,
    param: 'application_fee_amount',
  });
});

test('an operation that the server does not have is a 404', async () => {
  await using shop = await openShop();
  expect(await errorOf(shop.client.products.list())).toMatchObject({ statusCode: 404, type: 'StripeInvalidRequestError' });
});

test('a list goes on page by page, newest first, and filters by time', async () => {
  await using shop = await openShop();
  const ids: string[] = [];
  for (let at = 0; at < 5; at += 1) {
    ids.unshift((await shop.client.paymentIntents.create({ amount: 1000 + at, currency: 'usd', customer: shop.customer })).id);
    await shop.stripe.advance(60_000);
  }
  const first = await shop.client.paymentIntents.list({ limit: 2 });
  expect([first.has_more, first.data.map(({ id }) => id)]).toEqual([true, ids.slice(0, 2)]);
  const rest = await shop.client.paymentIntents.list({ limit: 3, starting_after: ids[1] as string });
  expect([rest.has_more, rest.data.map(({ id }) => id)]).toEqual([false, ids.slice(2)]);
  const before = await shop.client.paymentIntents.list({ limit: 1, ending_before: ids[2] as string });
  expect([before.has_more, before.data.map(({ id }) => id)]).toEqual([true, [ids[1]]]);
  const all = await shop.client.paymentIntents.list({ limit: 2 }).autoPagingToArray({ limit: 100 });
  expect(all.map(({ id }) => id)).toEqual(ids);
  const since = (await shop.client.paymentIntents.retrieve(ids[1] as string)).created;
  expect((await shop.client.paymentIntents.list({ created: { gte: since } })).data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
});

test('expand puts objects in place of their ids, in lists too', async () => {
  await using shop = await openShop();
  const { id } = await shop.client.checkout.sessions.create(checkoutOf(shop.customer));
  await shop.stripe.payCheckout(id, 'visa');
  const session = await shop.client.checkout.sessions.retrieve(id, { expand: ['line_items', 'payment_intent.latest_charge', 'customer'] });
  expect(session).toMatchObject({
    customer: { id: shop.customer },
    line_items: { data: [{ amount_total: 1000, description: 'Website', quantity: 1 }] },
    payment_intent: { latest_charge: { object: 'charge', amount: 1000 } },
  });
  const { data } = await shop.client.paymentIntents.list({ expand: ['data.payment_method'] });
  expect(data[0]?.payment_method).toMatchObject({ card: { last4: '4242' } });
  expect((await errorOf(shop.client.checkout.sessions.retrieve(id, { expand: ['mode'] }))).message).toMatch('cannot be expanded');
});

test('a repeated idempotency key gets the very same answer, a refusal too, and acts once', async () => {
  await using shop = await openShop();
  const visa = offSession(shop.customer, await shop.stripe.setCard(shop.account, shop.customer, 'visa'));
  const first = await shop.client.paymentIntents.create(visa, { idempotencyKey: 'pay-1' });
  const again = await shop.client.paymentIntents.create(visa, { idempotencyKey: 'pay-1' });
  expect(again).toEqual(first);
  expect(first.lastResponse.headers['idempotent-replayed']).toBeUndefined();
  expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
  expect(again.lastResponse.requestId).not.toBe(first.lastResponse.requestId);
  const empty = offSession(shop.customer, await shop.stripe.setCard(shop.account, shop.customer, 'insufficient_funds'));
  const refusals = [1, 2].map(() => errorOf(shop.client.paymentIntents.create(empty, { idempotencyKey: 'pay-2' })));
  const [refused, replayed] = await Promise.all(refusals);
  expect(refused).toMatchObject({ statusCode: 402, decline_code: 'insufficient_funds' });
  expect(replayed?.payment_intent?.id).toBe(refused?.payment_intent?.id);
  expect(await shop.stripe.charges(shop.account)).toHaveLength(1);
  expect((await shop.client.paymentIntents.list()).data).toHaveLength(2);
});

test('an idempotency key with other parameters or for another operation is refused', async () => {
  await using shop = await openShop();
  const idempotencyKey = 'customer-1';
  await shop.client.customers.create({ name: 'Ada' }, { idempotencyKey });
  const refused = { statusCode: 400, rawType: 'idempotency_error', type: 'StripeIdempotencyError' };
  expect(await errorOf(shop.client.customers.create({ name: 'Eve' }, { idempotencyKey }))).toMatchObject(refused);
  expect(await errorOf(shop.client.customers.update(shop.customer, { name: 'Ada' }, { idempotencyKey }))).toMatchObject(refused);
});

test('an idempotency key counts for one account and one day', async () => {
  await using shop = await openShop();
  const idempotencyKey = 'customer-1';
  const first = await shop.client.customers.create({}, { idempotencyKey });
  expect((await shop.platform.customers.create({}, { idempotencyKey })).id).not.toBe(first.id);
  await shop.stripe.advance(86_400_000 - 60_000);
  expect((await shop.client.customers.create({}, { idempotencyKey })).id).toBe(first.id);
  await shop.stripe.advance(60_000);
  expect((await shop.client.customers.create({}, { idempotencyKey })).id).not.toBe(first.id);
});

test('an idempotency key in use is a 409', async () => {
  await using shop = await openShop();
  await shop.stripe.delay(500);
  const calls = [1, 2].map(() => shop.client.customers.create({}, { idempotencyKey: 'customer-1' }).catch((error: unknown) => error));
  const answers = await Promise.all(calls);
  expect(answers).toContainEqual(expect.objectContaining({ object: 'customer' }));
  expect(answers).toContainEqual(expect.objectContaining({ statusCode: 409, code: 'idempotency_key_in_use' }));
});

test('a request that was invalid leaves its idempotency key free', async () => {
  await using shop = await openShop();
  const idempotencyKey = 'customer-1';
  await errorOf(shop.client.customers.create({ colour: 'red' } as object, { idempotencyKey }));
  expect((await shop.client.customers.create({ name: 'Ada' }, { idempotencyKey })).name).toBe('Ada');
});

describe.each([500, 'cut'] as const)('a fault that answers with %p', (how) => {
  test('before the request leaves nothing', async () => {
    await using shop = await openShop();
    await shop.stripe.failNext({ method: 'POST', path: '/v1/customers/{customer}', when: 'before', how });
    // The client retries a cut connection once by itself.
    if (how === 'cut') await shop.stripe.failNext({ method: 'POST', path: '/v1/customers/{customer}', when: 'before', how });
    const error = await errorOf(shop.client.customers.update(shop.customer, { name: 'Ada' }));
    expect(error.type).toBe(how === 'cut' ? 'StripeConnectionError' : 'StripeAPIError');
    expect(await shop.client.customers.retrieve(shop.customer)).toMatchObject({ name: null });
  });

  test('after the request loses the answer alone, which the idempotency key still gets', async () => {
    await using shop = await openShop();
    const idempotencyKey = 'pay-1';
    const params = offSession(shop.customer, await shop.stripe.setCard(shop.account, shop.customer, 'visa'));
    const fault = { method: 'POST', path: '/v1/payment_intents', when: 'after', how } as const;
    await shop.stripe.failNext(fault);
    if (how === 'cut') await shop.stripe.failNext(fault);
    await errorOf(shop.client.paymentIntents.create(params, { idempotencyKey }));
    const [charge, ...others] = await shop.stripe.charges(shop.account);
    expect(others).toEqual([]);
    const replayed = await shop.client.paymentIntents.create(params, { idempotencyKey });
    expect([replayed.id, replayed.status]).toEqual([charge?.payment_intent, 'succeeded']);
    expect(await shop.stripe.charges(shop.account)).toHaveLength(1);
  });
});

test('a fault of 429 is one of the rate limit', async () => {
  await using shop = await openShop();
  await shop.stripe.failNext({ method: 'GET', path: `/v1/customers/${shop.customer}`, when: 'before', how: 429 });
  expect(await errorOf(shop.client.customers.retrieve(shop.customer))).toMatchObject({ statusCode: 429, code: 'rate_limit' });
  expect(await shop.client.customers.retrieve(shop.customer)).toMatchObject({ id: shop.customer });
});

test('a customer is changed by what an update names, and an empty value unsets', async () => {
  await using shop = await openShop();
  await shop.client.customers.update(shop.customer, { name: 'Ada', metadata: { a: '1', b: '2' } });
  const updated = await shop.client.customers.update(shop.customer, { email: '', metadata: { a: '' } });
  expect(updated).toMatchObject({ name: 'Ada', email: null, metadata: { b: '2' } });
});

test('requests are recorded with their decoded parameters, account and idempotency key', async () => {
  await using shop = await openShop();
  await chargeOffSession(shop, 'visa', { idempotencyKey: 'pay-1' });
  expect((await shop.stripe.requests()).at(-1)).toMatchObject({
    method: 'POST',
    path: '/v1/payment_intents',
    account: shop.account,
    idempotencyKey: 'pay-1',
    params: { amount: '1000', metadata: { order: '2' }, allowed_payment_method_types: ['card'] },
  });
});
