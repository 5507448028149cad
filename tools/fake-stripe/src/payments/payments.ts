import type Stripe from 'stripe';
import type { CardName } from '../controls.ts';
import { docUrl, invalidRequest, StripeFailure } from '../errors.ts';
import { idOf, type Owner, type State } from '../state.ts';
import { cards, type Decline, newPaymentMethod } from './cards.ts';
import { newCharge, newPaymentIntent } from './payment-objects.ts';

/** The minimum of a charge, in the smallest unit, for the currencies that have one here. */
const minAmounts: Readonly<Record<string, number>> = { usd: 50, eur: 50, chf: 50, aud: 50, cad: 50, gbp: 30, jpy: 50 };

/** An amount in the smallest unit as people read it: "$5.00". */
export function moneyText(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** Throws if the amount is below the minimum of its currency. */
export function checkAmount(amount: number, currency: string, param: string, subject = 'Amount'): void {
  const min = minAmounts[currency] ?? 1;
  if (amount >= min) return;
  const message = `${subject} must be at least ${moneyText(min, currency)} ${currency}`;
  throw invalidRequest(message, { code: 'amount_too_small', param });
}

/** Throws if the owner cannot take payments: an account that is not onboarded, or whose charges were stopped. */
export function checkChargesEnabled(state: State, owner: Owner): void {
  if (owner === null || state.account(owner).charges_enabled) return;
  throw invalidRequest(
    'This Connect account cannot currently make live charges. The `requirements.disabled_reason` property on the account will provide information about why this account is currently disabled. If you are a customer trying to make a purchase, please contact the owner of this site. Your transaction has not been processed.',
  );
}

/** Throws if a fee is asked of a payment that is not on a connected account, or is above the payment. */
export function checkFee(owner: Owner, fee: number | undefined, amount: number, param: string): void {
  if (fee === undefined) return;
  if (owner === null) {
    throw invalidRequest(
      'Can only apply an application_fee_amount when the PaymentIntent is attempting a direct payment (using an OAuth key or Stripe-Account header) or destination payment (using `transfer_data[destination]`).',
      { param },
    );
  }
  if (fee > amount) throw invalidRequest('Your application fee cannot be greater than the amount of the charge.', { param });
}

/** The payment method of a customer, which a payment or the customer's settings name. */
export function methodOf(state: State, owner: Owner, id: string, customer: string | null, param: string): Stripe.PaymentMethod {
  const method = state.ofParam(owner, 'payment_method', id, param);
  const holder = idOf(method.customer);
  if (holder === customer && holder !== null) return method;
  if (holder === null) {
    throw invalidRequest(
      'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use a PaymentMethod multiple times, you must attach it to a Customer first.',
      { param },
    );
  }
  const message =
    customer === null
      ? 'The payment method you provided is attached to a customer so for security purposes you must provide the customer in the request.'
      : `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`;
  throw invalidRequest(message, { code: 'resource_missing', param });
}

export function attach(state: State, owner: Owner, method: Stripe.PaymentMethod, customer: string): void {
  method.customer = customer;
  state.record(owner, 'payment_method.attached', method);
}

/** Attaches a new card and makes it the default. */
export function setDefaultCard(state: State, owner: Owner, customer: Stripe.Customer, card: CardName): string {
  const method = state.add(owner, newPaymentMethod(state, card, customer.email));
  attach(state, owner, method, customer.id);
  const before = structuredClone(customer);
  customer.invoice_settings.default_payment_method = method.id;
  state.record(owner, 'customer.updated', customer, before);
  return method.id;
}

export interface IntentParams {
  amount: number;
  currency: string;
  allowed_payment_method_types?: 'card'[] | undefined;
  application_fee_amount?: number | undefined;
  automatic_payment_methods?: { enabled: boolean; allow_redirects?: 'always' | 'never' | undefined } | undefined;
  confirm?: boolean | undefined;
  customer?: string | undefined;
  description?: string | undefined;
  error_on_requires_action?: boolean | undefined;
  metadata?: Record<string, string> | undefined;
  off_session?: boolean | undefined;
  payment_method?: string | undefined;
  return_url?: string | undefined;
  setup_future_usage?: 'off_session' | 'on_session' | undefined;
}

/** Creates a payment, and charges it if `confirm` is set. A declined card is a 402. */
export function createIntent(state: State, owner: Owner, params: IntentParams): Stripe.PaymentIntent {
  const { amount, currency, customer, confirm = false, off_session: isOffSession = false } = params;
  checkAmount(amount, currency, 'amount');
  checkFee(owner, params.application_fee_amount, amount, 'application_fee_amount');
  checkChargesEnabled(state, owner);
  if (isOffSession && !confirm) throw invalidRequest('You can only set `off_session` when `confirm` is true.', { param: 'off_session' });
  if (customer !== undefined) state.ofParam(owner, 'customer', customer, 'customer');
  const method =
    params.payment_method === undefined ? undefined : methodOf(state, owner, params.payment_method, customer ?? null, 'payment_method');
  if (confirm) checkConfirmation(params, method);
  const intent = state.add(
    owner,
    newPaymentIntent(state, {
      amount,
      currency,
      application_fee_amount: params.application_fee_amount ?? null,
      allowed_payment_method_types: params.allowed_payment_method_types ?? null,
      automatic_payment_methods: { enabled: true, allow_redirects: params.automatic_payment_methods?.allow_redirects ?? 'always' },
      customer: customer ?? null,
      description: params.description ?? null,
      metadata: params.metadata ?? {},
      payment_method: method?.id ?? null,
      setup_future_usage: params.setup_future_usage ?? null,
      status: method === undefined ? 'requires_payment_method' : 'requires_confirmation',
    }),
  );
  if (!confirm || method === undefined) return intent;
  const card = cardOf(state, method);
  if (card.needsAuthentication && !isOffSession && !params.error_on_requires_action) {
    requireAuthentication(intent, method, params.return_url ?? null);
    return intent;
  }
  const error = charge(state, owner, intent, method, card.decline ?? card.offSessionDecline);
  if (error !== undefined) throw error;
  return intent;
}

function checkConfirmation(params: IntentParams, method: Stripe.PaymentMethod | undefined): asserts method {
  if (method === undefined) {
    throw invalidRequest(
      'You cannot confirm this PaymentIntent because it’s missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.',
      { code: 'payment_intent_unexpected_state' },
    );
  }
  const canRedirect = params.allowed_payment_method_types === undefined && params.automatic_payment_methods?.allow_redirects !== 'never';
  if (canRedirect && params.return_url === undefined) {
    throw invalidRequest(
      'A `return_url` must be specified because this Payment Intent is configured to automatically accept the payment methods enabled in the Dashboard, some of which may require a full page redirect to succeed. If you do not want to accept redirect-based payment methods, set `automatic_payment_methods[enabled]` to `true` and `automatic_payment_methods[allow_redirects]` to `never` when creating Setup Intents and Payment Intents.',
      { param: 'return_url' },
    );
  }
}

export function cardOf(state: State, method: Stripe.PaymentMethod) {
  const name = state.cards.get(method.id);
  if (name === undefined) throw new Error(`${method.id} is no card`);
  return cards[name];
}

/** Leaves a payment waiting for 3-D Secure. */
export function requireAuthentication(intent: Stripe.PaymentIntent, method: Stripe.PaymentMethod, returnUrl: string | null): void {
  intent.status = 'requires_action';
  intent.payment_method = method.id;
  intent.next_action =
    returnUrl === null
      ? { type: 'use_stripe_sdk', use_stripe_sdk: {} }
      : { type: 'redirect_to_url', redirect_to_url: { return_url: returnUrl, url: `https://hooks.stripe.com/redirect/${intent.id}` } };
}

/** Charges a payment. Returns the 402 of a card that declines. */
export function charge(
  state: State,
  owner: Owner,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  decline?: Decline,
): StripeFailure | undefined {
  intent.next_action = null;
  if (decline !== undefined) return fail(state, owner, intent, method, decline);
  const made = state.add(owner, newCharge(state, intent, method, { outcome: outcome('authorized', 'approved_by_network') }));
  Object.assign(intent, { status: 'succeeded', amount_received: intent.amount, latest_charge: made.id, payment_method: method.id });
  intent.last_payment_error = null;
  state.record(owner, 'charge.succeeded', made);
  const customer = idOf(intent.customer);
  if (customer !== null && intent.setup_future_usage !== null && method.customer === null) attach(state, owner, method, customer);
  state.record(owner, 'payment_intent.succeeded', intent);
  return undefined;
}

function fail(state: State, owner: Owner, intent: Stripe.PaymentIntent, method: Stripe.PaymentMethod, decline: Decline): StripeFailure {
  const made = state.add(
    owner,
    newCharge(state, intent, method, {
      amount_captured: 0,
      application_fee: null,
      balance_transaction: null,
      captured: false,
      failure_code: decline.code,
      failure_message: decline.message,
      outcome: outcome('issuer_declined', 'declined_by_network', decline.decline_code),
      paid: false,
      status: 'failed',
    }),
  );
  const error = { ...decline, charge: made.id, payment_method: structuredClone(method), type: 'card_error' as const };
  Object.assign(intent, { status: 'requires_payment_method', latest_charge: made.id, payment_method: null });
  intent.last_payment_error = { ...error, doc_url: docUrl(decline.code) };
  state.record(owner, 'payment_intent.payment_failed', intent);
  return new StripeFailure(402, { ...error, payment_intent: structuredClone(intent) });
}

const outcome = (type: string, networkStatus: string, reason: string | null = null): Stripe.Charge.Outcome => ({
  advice_code: null,
  network_advice_code: null,
  network_decline_code: null,
  network_status: networkStatus,
  reason,
  risk_level: 'normal',
  seller_message: type === 'authorized' ? 'Payment complete.' : 'The bank did not return any further details with this decline.',
  type,
});

const cancelable = ['requires_payment_method', 'requires_capture', 'requires_confirmation', 'requires_action', 'processing'];

export function cancelIntent(state: State, owner: Owner, intent: Stripe.PaymentIntent, reason: string | undefined): Stripe.PaymentIntent {
  if (!cancelable.includes(intent.status)) {
    throw invalidRequest(
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be canceled: ${cancelable.join(', ')}.`,
      { code: 'payment_intent_unexpected_state', payment_intent: structuredClone(intent) },
    );
  }
  intent.status = 'canceled';
  intent.canceled_at = state.now();
  intent.cancellation_reason = (reason ?? null) as Stripe.PaymentIntent.CancellationReason | null;
  intent.next_action = null;
  state.record(owner, 'payment_intent.canceled', intent);
  return intent;
}
