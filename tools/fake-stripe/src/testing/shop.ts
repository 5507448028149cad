import Stripe from 'stripe';
import type { CardName, FakeStripe, FakeStripeOptions } from '../controls.ts';
import { startFakeStripe } from '../server.ts';

type ClientConfig = NonNullable<ConstructorParameters<typeof Stripe>[1]>;

/** The official client of a server. It retries nothing by itself but a connection that was cut, once. */
export function clientOf({ url, secretKey }: { url: string; secretKey: string }, config: ClientConfig = {}): Stripe {
  const { hostname, port } = new URL(url);
  return new Stripe(secretKey, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false, ...config });
}

/** A server with an account that takes payments, and a customer of it. `client` works in the account. */
export interface Shop extends AsyncDisposable {
  readonly stripe: FakeStripe;
  readonly platform: Stripe;
  readonly client: Stripe;
  readonly account: string;
  readonly customer: string;
}

export async function openShop(options: FakeStripeOptions = {}): Promise<Shop> {
  const stripe = await startFakeStripe(options);
  const platform = clientOf(stripe);
  const { id: account } = await platform.accounts.create({ type: 'standard' });
  await stripe.finishOnboarding(account);
  const client = clientOf(stripe, { stripeAccount: account });
  const { id: customer } = await client.customers.create({ email: 'ada@example.com' });
  return { stripe, platform, client, account, customer, [Symbol.asyncDispose]: () => stripe.stop() };
}

/** The parameters of a Checkout session over 10 dollars, of which the platform gets one. */
export function checkoutOf(customer: string): Stripe.Checkout.SessionCreateParams {
  const price_data = { currency: 'usd', unit_amount: 1000, product_data: { name: 'Website' } };
  return {
    mode: 'payment',
    customer,
    client_reference_id: 'order-1',
    line_items: [{ price_data, quantity: 1 }],
    metadata: { order: '1' },
    payment_intent_data: { application_fee_amount: 100, metadata: { order: '1' }, setup_future_usage: 'off_session' },
    success_url: 'https://agency.example/paid?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://agency.example/back',
  };
}

/** Charges a new card of the customer without the customer present. */
export async function chargeOffSession(
  shop: Shop,
  card: CardName,
  options?: Stripe.RequestOptions,
): Promise<Stripe.Response<Stripe.PaymentIntent>> {
  const payment_method = await shop.stripe.setCard(shop.account, shop.customer, card);
  return shop.client.paymentIntents.create(offSession(shop.customer, payment_method), options);
}

export const offSession = (customer: string, payment_method: string): Stripe.PaymentIntentCreateParams => ({
  amount: 1000,
  currency: 'usd',
  application_fee_amount: 100,
  confirm: true,
  customer,
  metadata: { order: '2' },
  off_session: true,
  payment_method,
  allowed_payment_method_types: ['card'],
});

/** The error of a call that must be refused. */
export async function errorOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Stripe.errors.StripeError) return error;
  throw new Error('the call was not refused by Stripe', { cause: error });
}
