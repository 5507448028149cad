import { AppError } from '@webkiln/contract';
import Stripe from 'stripe';
import { shareOf } from '../rules/money.ts';
import type { Checkout, OrderState } from '../rules/order.ts';
import { type Payer, type Payment, type PaymentProvider, type ProviderChange, ProviderError, type SavedCard } from './provider.ts';
import { changeOf, eventTypes, idOf } from './stripe-events.ts';

export interface StripeOptions {
  readonly secretKey: string;
  /** The secrets of the endpoint for events of connected accounts, the newest first. */
  readonly webhookSecrets: readonly string[];
  readonly feePercent: number;
  /** The address of the API. */
  readonly apiUrl: string;
}

const timeoutMs = 10_000;
/** How old a message's signature may be. */
const maxAgeSeconds = 300;
const retries = 2;
const listed = 100;
/** Marks our settings of an account's pages for clients. */
const portalFor = 'webkiln-card';

/** Stripe takes these in hundredths, though they have none: https://docs.stripe.com/currencies#special-cases */
const hundredfold = new Set(['ISK', 'UGX']);
/** Stripe takes these rounded to ten of their smallest unit, which an invoice need not be. */
const inTens = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND']);

const toStripe = (amount: number, currency: string) => (hundredfold.has(currency) ? amount * 100 : amount);
const fromStripe = (amount: number, currency: string) => (hundredfold.has(currency) ? amount / 100 : amount);

/** A refusal is told apart from a provider that was not reached: only the latter is worth a repeat. */
function asProviderError(error: unknown): never {
  if (error instanceof Stripe.errors.StripeInvalidRequestError || error instanceof Stripe.errors.StripePermissionError)
    throw new ProviderError(error.message, { cause: error });
  throw error;
}

/** What is of another account is as unknown as what never was. */
function nullIfMissing(error: unknown): null {
  if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing') return null;
  return asProviderError(error);
}

/** Cards through Stripe. Each organization has an account there, which its clients pay (Connect, direct charges). */
export class StripeProvider implements PaymentProvider {
  readonly name = 'stripe';
  readonly feePercent: number;
  readonly #stripe: Stripe;
  readonly #webhookSecrets: readonly string[];

  constructor({ secretKey, webhookSecrets, feePercent, apiUrl }: StripeOptions) {
    const { protocol, hostname, port } = new URL(apiUrl);
    this.#stripe = new Stripe(secretKey, {
      ...{ protocol: protocol === 'http:' ? 'http' : 'https', host: hostname, ...(port !== '' && { port: Number(port) }) },
      ...{ timeout: timeoutMs, maxNetworkRetries: retries, telemetry: false, appInfo: { name: 'Webkiln' } },
    });
    this.#webhookSecrets = webhookSecrets;
    this.feePercent = feePercent;
  }

  refusalOf(currency: string): string | undefined {
    return inTens.has(currency) ? `Stripe takes ${currency} only in steps of ten of its smallest unit` : undefined;
  }

  async createAccount(org_id: string): Promise<string> {
    const options = { idempotencyKey: `account:${org_id}` };
    const { id } = await this.#stripe.accounts.create({ type: 'standard', metadata: { org_id } }, options).catch(asProviderError);
    return id;
  }

  async onboardingUrl(account: string, returnUrl: string): Promise<string> {
    const links = { refresh_url: returnUrl, return_url: returnUrl, type: 'account_onboarding' } as const;
    const { url } = await this.#stripe.accountLinks.create({ account, ...links }).catch(asProviderError);
    return url;
  }

  async isReady(account: string): Promise<boolean> {
    try {
      return (await this.#stripe.accounts.retrieve(account)).charges_enabled;
    } catch (error) {
      // An account that has left this platform cannot be read.
      if (error instanceof Stripe.errors.StripePermissionError) return false;
      throw error;
    }
  }

  async createPayer(stripeAccount: string, { _id, email, name }: Parameters<PaymentProvider['createPayer']>[1]): Promise<Payer> {
    const fields = { email, ...(name !== null && { name }), metadata: { client_id: _id } };
    const options = { stripeAccount, idempotencyKey: `customer:${_id}` };
    const { id } = await this.#stripe.customers.create(fields, options).catch(asProviderError);
    return { customer: id };
  }

  async openCheckout(stripeAccount: string, { customer }: Payer, order: OrderState, pageUrl: string): Promise<Checkout> {
    const { amount, currency, invoice, number } = order;
    const product_data = { name: `${invoice.item ?? 'Plan'}, invoice ${invoice.prefix}${number}` };
    const price_data = { currency: currency.toLowerCase(), unit_amount: toStripe(amount, currency), product_data };
    const session = await this.#stripe.checkout.sessions
      .create(
        {
          ...{ mode: 'payment', customer, client_reference_id: order._id, line_items: [{ price_data, quantity: 1 }] },
          ...{ success_url: `${pageUrl}?returned`, cancel_url: pageUrl },
          payment_intent_data: { setup_future_usage: 'off_session', metadata: { order_id: order._id }, ...this.#fee(order) },
        },
        // A page that has expired is followed by another one; two at the same time are the same.
        { stripeAccount, idempotencyKey: `checkout:${order._id}:${order.attempts}:${order.checkout?.ref ?? ''}` },
      )
      .catch(asProviderError);
    if (session.url === null) throw new ProviderError('the page for the payment has no address');
    return { ref: session.id, url: session.url, expires_at: new Date(session.expires_at * 1000) };
  }

  #fee({ amount, currency }: OrderState) {
    const fee = shareOf(amount, Math.round(this.feePercent * 1000), 100_000);
    return fee === 0 ? {} : { application_fee_amount: toStripe(fee, currency) };
  }

  async closeCheckout(stripeAccount: string, ref: string): Promise<Payment | null> {
    try {
      await this.#stripe.checkout.sessions.expire(ref, {}, { stripeAccount });
      return null;
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
      return this.checkoutPayment(stripeAccount, ref);
    }
  }

  async charge(stripeAccount: string, { customer, payment_method }: SavedCard, order: OrderState): Promise<Payment> {
    const { _id, amount, currency, attempts } = order;
    const metadata = { order_id: _id, attempt: String(attempts) };
    try {
      const intent = await this.#stripe.paymentIntents.create(
        {
          ...{ amount: toStripe(amount, currency), currency: currency.toLowerCase(), customer, payment_method: payment_method ?? '' },
          ...{ off_session: true, confirm: true, metadata, ...this.#fee(order) },
          // Nobody is there to be sent to another page.
          automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
        },
        { stripeAccount, idempotencyKey: `charge:${_id}:${attempts}` },
      );
      return toPayment(intent, _id);
    } catch (error) {
      // Also if its owner had to agree, which only the owner can: it pays on the page of its invoice.
      if (!(error instanceof Stripe.errors.StripeCardError) || error.payment_intent === undefined) return asProviderError(error);
      return { ...toPayment(error.payment_intent, _id), status: 'declined' };
    }
  }

  async earlierCharge(stripeAccount: string, { customer }: SavedCard, { _id, attempts }: OrderState): Promise<Payment | null> {
    const { data } = await this.#stripe.paymentIntents.list({ customer, limit: listed, expand: ['data.latest_charge'] }, { stripeAccount });
    const found = data.find(({ metadata }) => metadata.order_id === _id && metadata.attempt === String(attempts));
    return found === undefined ? null : toPayment(found, _id);
  }

  async payment(stripeAccount: string, ref: string): Promise<Payment | null> {
    const intent = await this.#stripe.paymentIntents.retrieve(ref, { expand: ['latest_charge'] }, { stripeAccount }).catch(nullIfMissing);
    const order_id = intent?.metadata.order_id;
    if (intent === null || order_id === undefined) return null;
    const payment = toPayment(intent, order_id);
    return payment.status === 'paid' && (await this.#isLost(stripeAccount, intent)) ? { ...payment, status: 'refunded' } : payment;
  }

  /** True if the client has got the payment back through its bank. */
  async #isLost(stripeAccount: string, { id: payment_intent, latest_charge }: Stripe.PaymentIntent): Promise<boolean> {
    if (typeof latest_charge !== 'object' || latest_charge?.disputed !== true) return false;
    const { data } = await this.#stripe.disputes.list({ payment_intent, limit: listed }, { stripeAccount });
    return data.some(({ status }) => status === 'lost');
  }

  async checkoutPayment(stripeAccount: string, ref: string): Promise<Payment | null> {
    const session = await this.#stripe.checkout.sessions.retrieve(ref, {}, { stripeAccount }).catch(nullIfMissing);
    const intent = idOf(session?.payment_intent);
    return intent === null ? null : this.payment(stripeAccount, intent);
  }

  async refund(stripeAccount: string, payment_intent: string): Promise<void> {
    try {
      await this.#stripe.refunds.create({ payment_intent }, { stripeAccount, idempotencyKey: `refund:${payment_intent}` });
    } catch (error) {
      if (error instanceof Stripe.errors.StripeError && error.code === 'charge_already_refunded') return;
      asProviderError(error);
    }
  }

  async card(stripeAccount: string, customer: string): Promise<SavedCard | null> {
    const found = await this.#stripe.customers.retrieve(customer, {}, { stripeAccount }).catch(nullIfMissing);
    if (found === null || found.deleted) return null;
    const { data } = await this.#stripe.customers.listPaymentMethods(customer, { type: 'card', limit: listed }, { stripeAccount });
    const preferred = idOf(found.invoice_settings.default_payment_method);
    const method = data.find(({ id }) => id === preferred) ?? data[0];
    if (method?.card === undefined) return null;
    const { brand, last4, exp_month, exp_year } = method.card;
    return { customer, payment_method: method.id, brand, last4, exp_month, exp_year };
  }

  async cardPageUrl(stripeAccount: string, customer: string, return_url: string): Promise<string> {
    const configuration = await this.#portalOf(stripeAccount);
    const session = { customer, return_url, configuration };
    return (await this.#stripe.billingPortal.sessions.create(session, { stripeAccount }).catch(asProviderError)).url;
  }

  /** What clients may do on the page of their card: no more than change it. */
  async #portalOf(stripeAccount: string): Promise<string> {
    const { data } = await this.#stripe.billingPortal.configurations.list({ active: true, limit: listed }, { stripeAccount });
    const ours = data.find(({ metadata }) => metadata?.made_for === portalFor);
    if (ours !== undefined) return ours.id;
    const fields = { features: { payment_method_update: { enabled: true } }, metadata: { made_for: portalFor } };
    const options = { stripeAccount, idempotencyKey: `portal:${stripeAccount}` };
    return (await this.#stripe.billingPortal.configurations.create(fields, options).catch(asProviderError)).id;
  }

  readEvent(body: Buffer, signature: string): ProviderChange | null {
    for (const secret of this.#webhookSecrets) {
      try {
        return changeOf(this.#stripe.webhooks.constructEvent(body, signature, secret, maxAgeSeconds));
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw new AppError('payment_event_refused');
      }
    }
    throw new AppError('payment_event_refused');
  }

  async *changesSince(stripeAccount: string, since: Date): AsyncIterable<ProviderChange> {
    const created = { gte: Math.floor(since.getTime() / 1000) };
    const events = this.#stripe.events.list({ created, types: eventTypes, limit: listed }, { stripeAccount });
    for await (const event of events) {
      const change = changeOf({ ...event, account: stripeAccount });
      if (change !== null) yield change;
    }
  }
}

/** An intent with its last charge, if that is expanded. */
function toPayment(intent: Stripe.PaymentIntent, order_id: string): Payment {
  const { id: ref, status, currency, amount, metadata, latest_charge, last_payment_error } = intent;
  const upper = currency.toUpperCase();
  const charge = typeof latest_charge === 'object' ? latest_charge : null;
  const declined = status === 'canceled' || (status === 'requires_payment_method' && last_payment_error !== null);
  return {
    ...{ ref, order_id, currency: upper, amount: fromStripe(amount, upper), customer: idOf(intent.customer) },
    status: status === 'succeeded' ? (charge?.refunded === true ? 'refunded' : 'paid') : declined ? 'declined' : 'open',
    attempt: metadata.attempt === undefined ? null : Number(metadata.attempt),
  };
}
