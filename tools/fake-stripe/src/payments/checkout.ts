import type Stripe from 'stripe';
import type { CardName } from '../controls.ts';
import { invalidRequest } from '../errors.ts';
import { idOf, newId, type Owner, type State } from '../state.ts';
import { newPaymentMethod } from './cards.ts';
import { newPaymentIntent, newSession, type SessionParams } from './payment-objects.ts';
import { cancelIntent, cardOf, charge, checkAmount, checkChargesEnabled, checkFee, requireAuthentication } from './payments.ts';

const minuteSeconds = 60;
const daySeconds = 86_400;

/** Opens a Checkout session for one payment. */
export function createSession(state: State, owner: Owner, params: SessionParams): Stripe.Checkout.Session {
  checkChargesEnabled(state, owner);
  const customer = params.customer === undefined ? undefined : state.ofParam(owner, 'customer', params.customer, 'customer');
  const expiresAt = params.expires_at ?? state.now() + daySeconds;
  if (expiresAt < state.now() + 30 * minuteSeconds) {
    throw invalidRequest('The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.', { param: 'expires_at' });
  }
  if (expiresAt > state.now() + daySeconds) {
    throw invalidRequest('The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.', { param: 'expires_at' });
  }
  const currency = params.line_items[0]?.price_data.currency ?? '';
  if (params.line_items.some(({ price_data }) => price_data.currency !== currency)) {
    throw invalidRequest('All prices on a Checkout Session must have the same currency.', { param: 'line_items' });
  }
  const items = params.line_items.map((item) => newLineItem(state, item));
  const total = items.reduce((sum, item) => sum + item.amount_total, 0);
  checkAmount(total, currency, 'line_items', "The Checkout Session's total amount due");
  checkFee(owner, params.payment_intent_data?.application_fee_amount, total, 'payment_intent_data[application_fee_amount]');
  const session = state.add(owner, newSession(state, params, { customer, expiresAt, currency, total }));
  state.lineItems.set(session.id, items);
  state.paymentData.set(session.id, params.payment_intent_data ?? {});
  return session;
}

function newLineItem(state: State, { price_data: price, quantity }: SessionParams['line_items'][number]): Stripe.LineItem {
  const amount = price.unit_amount * quantity;
  return {
    id: newId('li_'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency,
    description: price.product_data.name,
    metadata: {},
    price: {
      id: newId('price_'),
      object: 'price',
      active: false,
      billing_scheme: 'per_unit',
      created: state.now(),
      currency: price.currency,
      custom_unit_amount: null,
      livemode: false,
      lookup_key: null,
      metadata: {},
      nickname: null,
      product: newId('prod_', 14),
      recurring: null,
      tax_behavior: 'unspecified',
      tiers_mode: null,
      transform_quantity: null,
      type: 'one_time',
      unit_amount: price.unit_amount,
      // On the wire a string; the client makes a Decimal of it.
      unit_amount_decimal: String(price.unit_amount) as never,
    },
    quantity,
  };
}

/** Ends an open session: its page takes no payment from now on, and a payment that failed in it is canceled. */
export function expireSession(state: State, owner: Owner, session: Stripe.Checkout.Session): Stripe.Checkout.Session {
  if (session.status !== 'open') {
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    );
  }
  Object.assign(session, { status: 'expired', url: null });
  const intent = state.lookUp(owner, 'payment_intent', idOf(session.payment_intent) ?? '');
  if (intent !== undefined) cancelIntent(state, owner, intent, undefined);
  state.record(owner, 'checkout.session.expired', session);
  return session;
}

/** Expires the sessions that are due. */
export function expireDue(state: State): void {
  for (const { id, status, expires_at } of state.all('checkout.session')) {
    const found = status === 'open' && expires_at <= state.now() ? state.anywhere('checkout.session', id) : undefined;
    if (found !== undefined) expireSession(state, found.owner, found.object);
  }
}

/** What a customer sees after they press "Pay". */
export type Attempt = { readonly next: 'paid' | 'authenticate' } | { readonly next: 'declined'; readonly message: string };

/** Pays an open session with a card. */
export function attemptPayment(state: State, owner: Owner, session: Stripe.Checkout.Session, card: CardName): Attempt {
  checkChargesEnabled(state, owner);
  const intent = intentOf(state, owner, session);
  const customer = state.lookUp(owner, 'customer', idOf(session.customer) ?? '');
  const method = state.add(owner, newPaymentMethod(state, card, customer?.email ?? session.customer_email));
  if (!cardOf(state, method).needsAuthentication) return settle(state, owner, session, method);
  requireAuthentication(intent, method, session.success_url);
  return { next: 'authenticate' };
}

/** Ends the 3-D Secure that an attempt has begun. */
export function authenticate(state: State, owner: Owner, session: Stripe.Checkout.Session, hasSucceeded: boolean): Attempt {
  const intent = intentOf(state, owner, session);
  const method = state.lookUp(owner, 'payment_method', idOf(intent.payment_method) ?? '');
  if (intent.status !== 'requires_action' || method === undefined) return { next: 'declined', message: 'Choose a card to pay with.' };
  if (hasSucceeded) return settle(state, owner, session, method);
  const message =
    'The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new PaymentMethod to attempt to fulfill this PaymentIntent again.';
  Object.assign(intent, { status: 'requires_payment_method', payment_method: null, next_action: null });
  intent.last_payment_error = {
    code: 'payment_intent_authentication_failure',
    doc_url: 'https://stripe.com/docs/error-codes/payment-intent-authentication-failure',
    message,
    payment_method: structuredClone(method),
    type: 'invalid_request_error',
  };
  state.record(owner, 'payment_intent.payment_failed', intent);
  return {
    next: 'declined',
    message: 'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
  };
}

function settle(state: State, owner: Owner, session: Stripe.Checkout.Session, method: Stripe.PaymentMethod): Attempt {
  const error = charge(state, owner, intentOf(state, owner, session), method, cardOf(state, method).decline);
  if (error !== undefined) return { next: 'declined', message: error.message };
  Object.assign(session, { status: 'complete', payment_status: 'paid', url: null });
  const { email, name, phone } = method.billing_details;
  session.customer_details = {
    address: null,
    business_name: null,
    email,
    individual_name: null,
    name,
    phone,
    tax_exempt: 'none',
    tax_ids: [],
  };
  state.record(owner, 'checkout.session.completed', session);
  return { next: 'paid' };
}

/** The payment of a session, which its first attempt creates. */
function intentOf(state: State, owner: Owner, session: Stripe.Checkout.Session): Stripe.PaymentIntent {
  const found = state.lookUp(owner, 'payment_intent', idOf(session.payment_intent) ?? '');
  if (found !== undefined) return found;
  const { application_fee_amount, description, metadata, setup_future_usage } = state.paymentData.get(session.id) ?? {};
  const intent = newPaymentIntent(state, {
    amount: session.amount_total ?? 0,
    currency: session.currency ?? '',
    application_fee_amount: application_fee_amount ?? null,
    customer: session.customer,
    description: description ?? null,
    metadata: metadata ?? {},
    setup_future_usage: setup_future_usage ?? null,
  });
  session.payment_intent = intent.id;
  return state.add(owner, intent);
}
