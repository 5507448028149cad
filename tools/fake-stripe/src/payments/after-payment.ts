import type Stripe from 'stripe';
import { invalidRequest, resourceMissing } from '../errors.ts';
import { idOf, newId, type Owner, type State } from '../state.ts';

export interface RefundParams {
  amount?: number | undefined;
  charge?: string | undefined;
  payment_intent?: string | undefined;
  metadata?: Record<string, string> | undefined;
  reason?: 'duplicate' | 'fraudulent' | 'requested_by_customer' | undefined;
}

/** Refunds a charge, by default all of it that is left. */
export function refund(state: State, owner: Owner, params: RefundParams): Stripe.Refund {
  const charge = chargeToRefund(state, owner, params);
  if (charge.refunded) {
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' });
  }
  const dispute = state.all('dispute', owner).find((found) => found.charge === charge.id);
  if (dispute?.is_charge_refundable === false) {
    throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, { code: 'charge_disputed' });
  }
  const left = charge.amount - charge.amount_refunded;
  const amount = params.amount ?? left;
  if (amount < 1) throw invalidRequest('Invalid positive integer', { code: 'parameter_invalid_integer', param: 'amount' });
  if (amount > left) {
    throw invalidRequest(`Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, { param: 'amount' });
  }
  const made = state.add(owner, newRefund(state, charge, amount, params));
  const before = structuredClone(charge);
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  state.record(owner, 'charge.refunded', charge, before);
  return made;
}

function newRefund(state: State, charge: Stripe.Charge, amount: number, params: RefundParams): Stripe.Refund {
  return {
    id: newId('re_'),
    object: 'refund',
    amount,
    balance_transaction: newId('txn_'),
    charge: charge.id,
    created: state.now(),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: {
      card: { type: 'refund', reference_status: 'pending', reference_type: 'acquirer_reference_number' },
      type: 'card',
    },
    metadata: params.metadata ?? {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: params.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}

function chargeToRefund(state: State, owner: Owner, params: RefundParams): Stripe.Charge {
  if (params.charge !== undefined) {
    const charge = state.ofParam(owner, 'charge', params.charge, 'charge');
    if (charge.status === 'succeeded') return charge;
    throw invalidRequest(`Charge ${charge.id} has not succeeded; cannot issue a refund.`, { param: 'charge' });
  }
  if (params.payment_intent === undefined) {
    throw invalidRequest('One of the following params should be provided for this request: payment_intent or charge.');
  }
  const intent = state.ofParam(owner, 'payment_intent', params.payment_intent, 'payment_intent');
  const charge = paidCharge(state, owner, intent);
  if (charge !== undefined) return charge;
  throw invalidRequest(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`, {
    code: 'payment_intent_unexpected_state',
  });
}

function paidCharge(state: State, owner: Owner, intent: Stripe.PaymentIntent): Stripe.Charge | undefined {
  const id = idOf(intent.latest_charge);
  return intent.status === 'succeeded' && id !== null ? state.lookUp(owner, 'charge', id) : undefined;
}

const evidence: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};
const daySeconds = 86_400;

/** Opens a dispute of a whole payment, as the customer's bank does. */
export function openDispute(state: State, owner: Owner, paymentIntent: string): Stripe.Dispute {
  const intent = state.ofUrl(owner, 'payment_intent', paymentIntent);
  const charge = paidCharge(state, owner, intent);
  if (charge === undefined) throw invalidRequest(`${paymentIntent} has no successful charge to dispute`);
  if (charge.disputed) throw invalidRequest(`${charge.id} is disputed already`);
  const dispute = state.add<Stripe.Dispute>(owner, {
    id: newId('du_'),
    object: 'dispute',
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created: state.now(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence,
    evidence_details: {
      due_by: state.now() + 7 * daySeconds,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: intent.id,
    payment_method_details: {
      card: { brand: 'visa', case_type: 'chargeback', network: 'visa', network_reason_code: '10.4' },
      type: 'card',
    },
    reason: 'fraudulent',
    status: 'needs_response',
  });
  charge.disputed = true;
  state.record(owner, 'charge.dispute.created', dispute);
  return dispute;
}

export function closeDispute(state: State, owner: Owner, id: string, outcome: 'won' | 'lost'): void {
  const dispute = state.lookUp(owner, 'dispute', id);
  if (dispute === undefined) throw resourceMissing('dispute', id, 'id', true);
  if (dispute.status !== 'needs_response') throw invalidRequest(`${id} is ${dispute.status} already`);
  dispute.status = outcome;
  dispute.is_charge_refundable = outcome === 'won';
  state.record(owner, 'charge.dispute.closed', dispute);
}
