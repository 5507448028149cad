import { Ajv } from 'ajv';
import type Stripe from 'stripe';
import { z } from 'zod';
import { routes } from '../api/api.ts';
import { chargeOffSession, checkoutOf, clientOf, errorOf, offSession, openShop, type Shop } from '../testing/shop.ts';
import { type ApiDescription, readApiDescription, type Schema, startStripeMock } from './stripe-mock.ts';

let description: ApiDescription;
beforeAll(async () => {
  description = await readApiDescription();
});

test('stripe-mock accepts requests that follow the description, and refuses others', async () => {
  await using mock = await startStripeMock();
  const client = clientOf({ url: mock.url, secretKey: 'sk_test_1' }, { stripeAccount: 'acct_1' });
  expect(await client.checkout.sessions.create(checkoutOf('cus_1'))).toMatchObject({ object: 'checkout.session' });
  expect(await client.paymentIntents.create(offSession('cus_1', 'pm_1'))).toMatchObject({ object: 'payment_intent' });
  expect(await errorOf(client.customers.create({ colour: 'red' } as object))).toMatchObject({ statusCode: 400 });
});

/** Parameters of the version of the official client, which is newer than the description. */
const newer = ['POST /v1/checkout/sessions allowed_payment_method_types'];

test('each operation and parameter that the server has is one of Stripe', () => {
  expect(
    routes.flatMap(({ method, path, schema }) => {
      const operation = description.paths[path]?.[method === 'GET' ? 'get' : 'post'];
      if (operation === undefined) return [`${method} ${path}`];
      const ours = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
      const body = Object.values(operation.requestBody.content)[0]?.schema ?? {};
      const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
      const theirs = method === 'POST' ? body : { properties: Object.fromEntries(query.map(({ name, schema = {} }) => [name, schema])) };
      return unknownNames(ours, theirs, `${method} ${path} `);
    }),
  ).toEqual(newer);
});

/** The parameters of `ours` that `theirs` has not. */
function unknownNames(ours: Schema, theirs: Schema, at: string): string[] {
  const known = Object.assign({}, ...variantsOf(theirs).map(({ properties }) => properties)) as Record<string, Schema>;
  const items = variantsOf(theirs).find((variant) => variant.items !== undefined)?.items ?? {};
  return variantsOf(ours).flatMap((variant) => [
    ...(variant.items === undefined ? [] : unknownNames(variant.items, items, `${at}[]`)),
    ...Object.entries(variant.properties ?? {}).flatMap(([name, schema]) =>
      known[name] === undefined ? [`${at}${name}`] : unknownNames(schema, known[name], `${at}${name}.`),
    ),
  ]);
}

const variantsOf = (schema: Schema): readonly Schema[] => [schema, ...(schema.anyOf ?? [])];

type Json = { [name: string]: unknown };

/** Sends a request without the official client, which changes answers; a refusal is an answer, too. */
async function send({ stripe, account }: Shop, method: 'GET' | 'POST', path: string, form = ''): Promise<Json> {
  const headers = { Authorization: `Bearer ${stripe.secretKey}`, 'Stripe-Account': account };
  const url = `${stripe.url}/v1/${path}`;
  const response = await (method === 'GET' ? fetch(`${url}?${form}`, { headers }) : fetch(url, { method, headers, body: form }));
  return (await response.json()) as Json;
}

/** One or more of each kind of answer, in each state that its fields depend on. */
async function answersOf(shop: Shop): Promise<Json[]> {
  const { stripe, client, account, customer } = shop;
  const get = (path: string, form?: string) => send(shop, 'GET', path, form);
  const post = (path: string, form?: string) => send(shop, 'POST', path, form);
  const links = 'return_url=https://a.example/&refresh_url=https://a.example/';
  const fresh = await post('accounts', 'type=express&controller[fees][payer]=account');
  const checkout = async () => (await client.checkout.sessions.create(checkoutOf(customer))).id;
  const [open, paid, failed, expired] = [await checkout(), await checkout(), await checkout(), await checkout()];
  await stripe.payCheckout(paid, 'visa');
  await stripe.payCheckout(failed, 'insufficient_funds');
  await client.checkout.sessions.expire(expired);
  const intents = await Promise.all([paid, failed].map(async (id) => String((await client.checkout.sessions.retrieve(id)).payment_intent)));
  const charged = await chargeOffSession(shop, 'visa');
  const declined = await errorOf(chargeOffSession(shop, 'authentication_required'));
  const {
    allowed_payment_method_types: _types,
    off_session: _off,
    ...onSession
  } = offSession(customer, await stripe.setCard(account, customer, 'authentication_required'));
  const waiting = await client.paymentIntents.create({ ...onSession, return_url: 'https://a.example/' });
  const canceled = await client.paymentIntents.cancel((await client.paymentIntents.create({ amount: 100, currency: 'usd' })).id);
  const dispute = await stripe.dispute(account, intents[0] ?? '');
  const disputed = await get(`disputes/${dispute}`);
  await stripe.closeDispute(account, dispute, 'won');
  const configuration = await post('billing_portal/configurations', 'features[payment_method_update][enabled]=true');
  const method = await stripe.setCard(account, customer, 'visa');
  return [
    fresh,
    await get(`accounts/${account}`),
    await post('account_links', `account=${account}&type=account_onboarding&${links}`),
    await get(`customers/${customer}`),
    await get(`payment_methods/${method}`),
    ...(await Promise.all([open, paid, failed, expired].map((id) => get(`checkout/sessions/${id}`, 'expand[]=line_items')))),
    ...(await Promise.all(
      [...intents, charged.id, declined.payment_intent?.id, waiting.id, canceled.id].map((id) => get(`payment_intents/${id}`)),
    )),
    await post('refunds', `payment_intent=${charged.id}&amount=400`),
    await get(`charges/${charged.latest_charge}`, 'expand[]=refunds'),
    await get(`charges/${(declined.payment_intent as Stripe.PaymentIntent).latest_charge}`),
    disputed,
    await get(`disputes/${dispute}`),
    configuration,
    await post('billing_portal/sessions', `customer=${customer}&configuration=${configuration.id}&return_url=https://a.example/`),
    ...((await get('events', 'limit=100')).data as Json[]),
    await get('customers/cus_unknown'),
    await post('customers', 'colour=red'),
    await post(
      'payment_intents',
      `amount=1000&currency=usd&confirm=true&off_session=true&customer=${customer}&payment_method=${await stripe.setCard(account, customer, 'expired_card')}&allowed_payment_method_types[]=card`,
    ),
    await post('nothing'),
  ];
}

test('each kind of object and error that the server answers is valid by the description', async () => {
  await using shop = await openShop();
  const answers = await answersOf(shop);
  const kinds = answers.map(({ object = 'error' }) => String(object));
  expect(new Set(kinds)).toEqual(
    new Set([
      ...['account', 'account_link', 'customer', 'payment_method', 'checkout.session', 'payment_intent', 'charge', 'refund', 'dispute'],
      ...['billing_portal.configuration', 'billing_portal.session', 'event', 'error'],
    ]),
  );
  const ajv = new Ajv({ strict: false, validateFormats: false, inlineRefs: false, allErrors: true });
  ajv.addSchema(jsonSchema({ components: description.components }) as object, 'stripe');
  const problems = answers.flatMap((answer, at) => {
    const validate = ajv.getSchema(`stripe#/components/schemas/${kinds[at]}`);
    if (validate === undefined) return [`there is no schema of ${kinds[at]}`];
    const embedded = kinds[at] === 'event' ? [(answer.data as { object: Json }).object] : [];
    const parts = [
      [validate, answer] as const,
      ...embedded.map((object) => [ajv.getSchema(`stripe#/components/schemas/${object.object}`), object] as const),
    ];
    return parts.flatMap(([check, value]) =>
      check?.(value) ? [] : (check?.errors ?? []).map((error) => `${value.object} ${error.instancePath} ${error.message}`),
    );
  });
  expect([...new Set(problems)]).toEqual([]);
});

/**
 * A schema of OpenAPI 3.0 as a JSON schema: null is a type of its own. What an id may be expanded to is not followed,
 * as each object is validated by itself.
 */
function jsonSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(jsonSchema);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, 'x-expansionResources': expansion, discriminator: _discriminator, ...rest } = node as Json;
  const schema =
    expansion === undefined
      ? Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, jsonSchema(value)]))
      : { type: ['string', 'object'] };
  return nullable === true ? { anyOf: [{ type: 'null' }, schema] } : schema;
}
