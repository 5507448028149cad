import type Stripe from 'stripe';
import type { CardName } from '../controls.ts';
import { newId, type State } from '../state.ts';

/** What a card's bank answers to a charge that it declines. */
export interface Decline {
  readonly code: string;
  readonly decline_code: string;
  readonly message: string;
}

export interface TestCard {
  readonly label: string;
  readonly last4: string;
  /** Declines every charge. */
  readonly decline?: Decline;
  /** Declines charges without the customer present. */
  readonly offSessionDecline?: Decline;
  /** Takes 3-D Secure while the customer is present. */
  readonly needsAuthentication?: true;
}

const declined = (decline_code: string, message: string, code = 'card_declined'): Decline => ({ code, decline_code, message });

/** Behave as the numbers that Stripe documents at https://docs.stripe.com/testing. */
export const cards: Readonly<Record<CardName, TestCard>> = {
  visa: { label: 'Visa •••• 4242: works', last4: '4242' },
  insufficient_funds: {
    label: 'Visa •••• 9995: insufficient funds',
    last4: '9995',
    decline: declined('insufficient_funds', 'Your card has insufficient funds.'),
  },
  declined_later: {
    label: 'Visa •••• 0341: works now, is declined later',
    last4: '0341',
    offSessionDecline: declined('generic_decline', 'Your card was declined.'),
  },
  authentication_required: {
    label: 'Visa •••• 3184: needs 3-D Secure',
    last4: '3184',
    needsAuthentication: true,
    offSessionDecline: declined(
      'authentication_required',
      'Your card was declined. This transaction requires authentication.',
      'authentication_required',
    ),
  },
  expired_card: {
    label: 'Visa •••• 0069: expired',
    last4: '0069',
    decline: declined('expired_card', 'Your card has expired.', 'expired_card'),
  },
};

export const isCardName = (name: unknown): name is CardName => typeof name === 'string' && Object.hasOwn(cards, name);

const noAddress = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };

export function newPaymentMethod(state: State, card: CardName, email: string | null): Stripe.PaymentMethod {
  const id = newId('pm_');
  state.cards.set(id, card);
  return {
    id,
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: { address: noAddress, email, name: null, phone: null, tax_id: null },
    card: {
      brand: 'visa',
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: 'visa',
      ...expiry(state),
      fingerprint: `fake${cards[card].last4}`.padEnd(16, '0'),
      funding: 'credit',
      generated_from: null,
      last4: cards[card].last4,
      networks: { available: ['visa'], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: state.now(),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  };
}

const expiry = (state: State) => ({ exp_month: 12, exp_year: new Date(state.nowMs()).getUTCFullYear() + 4 });
