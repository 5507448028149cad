import type Stripe from 'stripe';
import { newId, type PaymentData, type State } from '../state.ts';

type IntentParams = Pick<Stripe.PaymentIntent, 'amount' | 'currency'> & Partial<Stripe.PaymentIntent>;

export function newPaymentIntent(state: State, params: IntentParams): Stripe.PaymentIntent {
  const id = newId('pi_');
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${newId('', 25)}`,
    confirmation_method: 'automatic',
    created: state.now(),
    customer: null,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
    ...params,
  };
}

/** A charge of a payment, which has succeeded unless `params` say otherwise. */
export function newCharge(
  state: State,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  params: Partial<Stripe.Charge>,
): Stripe.Charge {
  const id = newId('ch_');
  return {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: intent.amount,
    amount_refunded: 0,
    application: null,
    application_fee: intent.application_fee_amount === null ? null : newId('fee_'),
    application_fee_amount: intent.application_fee_amount,
    balance_transaction: newId('txn_'),
    billing_details: method.billing_details,
    calculated_statement_descriptor: null,
    captured: true,
    created: state.now(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: false,
    metadata: structuredClone(intent.metadata),
    on_behalf_of: null,
    outcome: null,
    paid: true,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { type: 'card' },
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'succeeded',
    transfer_data: null,
    transfer_group: null,
    ...params,
  };
}

export interface SessionParams {
  success_url: string;
  allowed_payment_method_types?: 'card'[] | undefined;
  cancel_url?: string | undefined;
  client_reference_id?: string | undefined;
  customer?: string | undefined;
  customer_email?: string | undefined;
  expires_at?: number | undefined;
  line_items: {
    price_data: {
      currency: string;
      unit_amount: number;
      product_data: { name: string; description?: string | undefined };
    };
    quantity: number;
  }[];
  metadata?: Record<string, string> | undefined;
  payment_intent_data?: PaymentData | undefined;
}

interface SessionFacts {
  readonly customer: Stripe.Customer | undefined;
  readonly expiresAt: number;
  readonly currency: string;
  readonly total: number;
}

/** An open Checkout session. */
export function newSession(
  state: State,
  params: SessionParams,
  { customer, expiresAt, currency, total }: SessionFacts,
): Stripe.Checkout.Session {
  const id = newId('cs_test_', 58);
  return {
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: params.allowed_payment_method_types ?? null,
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: state.now(),
    currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: customer?.id ?? null,
    customer_account: null,
    customer_creation: customer === undefined ? 'if_required' : null,
    customer_details: null,
    customer_email: params.customer_email ?? null,
    discounts: [],
    expires_at: expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: { enabled: false, invoice_data: emptyInvoiceData() },
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata: params.metadata ?? {},
    mode: 'payment',
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: null,
    subscription: null,
    success_url: params.success_url,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${state.url}/pay/${id}`,
    wallet_options: null,
  };
}

const emptyInvoiceData = (): Stripe.Checkout.Session.InvoiceCreation.InvoiceData => ({
  account_tax_ids: null,
  custom_fields: null,
  description: null,
  footer: null,
  issuer: null,
  metadata: {},
  rendering_options: null,
});
