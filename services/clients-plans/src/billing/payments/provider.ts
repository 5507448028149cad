import type { Order } from '@webkiln/contract';
import type { Checkout, OrderState } from '../rules/order.ts';

/** What the provider calls an organization's account. */
type Account = string;

/** A card that a client has let us charge. */
export interface SavedCard {
  readonly customer: string;
  /** Null: the client removed its card. */
  readonly payment_method: string | null;
  readonly brand: string;
  readonly last4: string;
  readonly exp_month: number;
  readonly exp_year: number;
}

/** A card is good until its month is over. */
export const expiryOf = ({ exp_year, exp_month }: SavedCard): Date => new Date(Date.UTC(exp_year, exp_month));

/** How many days before that its client is told. */
export const expiryDays = 21;

/** A payment as it is now at the provider. `ref` is its name there. */
export interface Payment {
  readonly ref: string;
  readonly order_id: string;
  /** In minor units of `currency`. */
  readonly amount: number;
  readonly currency: string;
  readonly status: 'open' | 'paid' | 'refunded' | 'declined';
  /** Which attempt to charge without the client it was; null: the client was there, and may try again by itself. */
  readonly attempt: number | null;
  /** The client that it is of, by its name at the provider. */
  readonly customer: string | null;
}

/** Something changed at the provider. It says where to look, not what is there: so no order of changes matters. */
export interface ProviderChange {
  readonly account: Account;
  readonly of: 'account' | 'payment' | 'checkout' | 'card';
  readonly ref: string;
}

/** Who pays: the record of a client at the provider. */
export interface Payer {
  readonly customer: string;
}

/**
 * A payment company. Each call is safe to repeat: the same `key`, or the same order and attempt, is one act there.
 * Calls throw `ProviderError` if the provider refuses, and other errors if it may not have been reached.
 */
export interface PaymentProvider {
  readonly name: Order['provider'];
  /** The share of each payment that the operator keeps, in percent. */
  readonly feePercent: number;
  /** Undefined if payments in the currency are taken, else why not. */
  refusalOf(currency: string): string | undefined;
  createAccount(org_id: string): Promise<Account>;
  /** The page on which an organization tells the provider what it needs to know. */
  onboardingUrl(account: Account, returnUrl: string): Promise<string>;
  /** True if the account may take payments. */
  isReady(account: Account): Promise<boolean>;
  createPayer(account: Account, client: { readonly _id: string; readonly email: string; readonly name: string | null }): Promise<Payer>;
  /** The page on which a client pays. The card is kept for later orders. */
  openCheckout(account: Account, payer: Payer, order: OrderState, pageUrl: string): Promise<Checkout>;
  /** Nobody can pay there any more. Returns the payment if somebody has. */
  closeCheckout(account: Account, ref: string): Promise<Payment | null>;
  /** Charges a card without its owner. A card that is declined is a payment, too. */
  charge(account: Account, card: SavedCard, order: OrderState): Promise<Payment>;
  /** An attempt to charge that was made already; null if there is none. */
  earlierCharge(account: Account, card: SavedCard, order: OrderState): Promise<Payment | null>;
  /** Null for an unknown payment, and for one that is of no order. */
  payment(account: Account, ref: string): Promise<Payment | null>;
  checkoutPayment(account: Account, ref: string): Promise<Payment | null>;
  /** Gives all of it back. */
  refund(account: Account, payment: string): Promise<void>;
  /** The card that a client pays with; null if there is none. */
  card(account: Account, customer: string): Promise<SavedCard | null>;
  /** The page on which a client changes its card. */
  cardPageUrl(account: Account, customer: string, returnUrl: string): Promise<string>;
  /** What a message of the provider is about; null if nothing that matters here. Throws `payment_event_refused`. */
  readEvent(body: Buffer, signature: string): ProviderChange | null;
  /** What changed since, the same as its messages said. */
  changesSince(account: Account, since: Date): AsyncIterable<ProviderChange>;
}

/** The provider says no, for a reason that a repeat does not change. */
export class ProviderError extends Error {}
