import type Stripe from 'stripe';

/**
 * A test card. `declined_later` works in Checkout and is declined off session; `authentication_required` takes 3-D
 * Secure in Checkout and fails off session; `insufficient_funds` and `expired_card` are always declined.
 */
export type CardName = 'visa' | 'insufficient_funds' | 'declined_later' | 'authentication_required' | 'expired_card';

/** One charge that succeeded, as tests assert it. */
export interface ChargeRecord {
  readonly id: string;
  readonly payment_intent: string;
  readonly customer: string | null;
  /** In the smallest unit of the currency. */
  readonly amount: number;
  readonly amount_refunded: number;
  readonly currency: string;
  readonly application_fee_amount: number | null;
  readonly refunded: boolean;
  readonly disputed: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  /** Unix seconds. */
  readonly created: number;
}

/** One request to the API, in the order of arrival. */
export interface RequestRecord {
  readonly method: string;
  /** Without the query: "/v1/refunds". */
  readonly path: string;
  /** The decoded body or query: strings, nested objects and arrays. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
  /** The connected account of the header `Stripe-Account`. */
  readonly account: string | null;
}

/** One event's delivery: the status of each attempt, in order; 0 is an attempt that got no answer. */
export interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly statuses: readonly number[];
}

export interface DeliveryOptions {
  /** How often each event is delivered; 1 by default. */
  readonly times?: number;
  /** Shuffles the deliveries, the same way for the same seed; without it they keep the order of the events. */
  readonly shuffleSeed?: number;
  /** The types of events to deliver; the others stay held. */
  readonly only?: readonly string[];
}

export interface Fault {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path of the request; `{id}` matches any one segment: "/v1/payment_intents/{id}/cancel". */
  readonly path: string;
  /** `before`: nothing happens. `after`: the request takes effect and has an answer, which is lost on its way. */
  readonly when: 'before' | 'after';
  /** `cut` closes the connection without an answer. */
  readonly how: 'cut' | 500 | 429;
}

/** What tests do to the server and read of it, in its process or in another. `account` null is the platform itself. */
export interface FakeStripeControls {
  /** The time of the test clock in Unix milliseconds. Signatures of events have the real time. */
  now(): Promise<number>;
  /** Moves the test clock and returns its time; open Checkout sessions that are due expire. */
  advance(ms: number): Promise<number>;

  /** Finishes the onboarding of an account, which then accepts charges and gets payouts. */
  finishOnboarding(account: string): Promise<void>;
  /** Stops charges and payouts of an account, as Stripe does while requirements are past due. */
  disableCharges(account: string): Promise<void>;
  /**
   * Pays in Checkout as a customer does, 3-D Secure included. Returns the session's status: `open` after a declined
   * card, `expired` if it had expired.
   */
  payCheckout(sessionId: string, card: CardName): Promise<'complete' | 'open' | 'expired'>;
  /** Attaches a card to a customer, makes it the default of its invoices, and returns the payment method's id. */
  setCard(account: string | null, customer: string, card: CardName): Promise<string>;
  /** Opens a dispute against a payment and returns its id. */
  dispute(account: string | null, paymentIntent: string): Promise<string>;
  closeDispute(account: string | null, dispute: string, outcome: 'won' | 'lost'): Promise<void>;
  /** Refunds a payment in full as a person does in Stripe's dashboard, and returns the refund's id. */
  refundOutside(account: string | null, paymentIntent: string): Promise<string>;

  /** Sends events to this URL from now on; null sends none. */
  sendEventsTo(webhookUrl: string | null): Promise<void>;
  /** Keeps events back from now on. The list of events has them at once. */
  holdEvents(): Promise<void>;
  /**
   * Delivers the held events and waits for the answers. Events that fail are not retried. Holding ends, unless `only`
   * leaves it on.
   */
  deliverEvents(options?: DeliveryOptions): Promise<Delivery[]>;
  /** Never delivers the held events; the list of events has them. Holding ends. */
  dropEvents(): Promise<void>;
  /** Delivers an event once more, held or not, and waits for the answer. */
  resend(eventId: string): Promise<Delivery>;
  /** Waits until no delivery or retry is in flight. */
  settleDeliveries(): Promise<void>;
  /** A body and its header `Stripe-Signature`, by default by the server's secret and now. `at`: Unix milliseconds. */
  signed(event: unknown, options?: { readonly secret?: string; readonly at?: number }): Promise<{ body: string; signature: string }>;

  /** Fails the next request that matches, once. Several faults wait side by side. */
  failNext(fault: Fault): Promise<void>;
  /** Delays each request to the API from now on, before it takes effect; 0 ends it. */
  delay(ms: number): Promise<void>;

  /** Oldest first, like the other two. */
  charges(account: string | null): Promise<ChargeRecord[]>;
  events(account?: string | null): Promise<Stripe.Event[]>;
  requests(): Promise<RequestRecord[]>;
}

export interface FakeStripeOptions {
  /** Random by default, as the webhook's secret and the port are. */
  readonly secretKey?: string;
  readonly webhookSecret?: string;
  readonly webhookUrl?: string;
  readonly port?: number;
}

/** A running server. */
export interface FakeStripe extends FakeStripeControls, AsyncDisposable {
  /** The base of the API: "http://127.0.0.1:41234". */
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  stop(): Promise<void>;
}

const everyControl: Readonly<Record<keyof FakeStripeControls, true>> = {
  now: true,
  advance: true,
  finishOnboarding: true,
  disableCharges: true,
  payCheckout: true,
  setCard: true,
  dispute: true,
  closeDispute: true,
  refundOutside: true,
  sendEventsTo: true,
  holdEvents: true,
  deliverEvents: true,
  dropEvents: true,
  resend: true,
  settleDeliveries: true,
  signed: true,
  failNext: true,
  delay: true,
  charges: true,
  events: true,
  requests: true,
};

/** The names by which another process calls the controls. */
export const controlNames = Object.keys(everyControl) as (keyof FakeStripeControls)[];

/** The controls of a server in another process, by the base of its API. */
export function fakeStripeAt(url: string): FakeStripeControls {
  const call = async (name: string, args: unknown[]): Promise<unknown> => {
    const response = await fetch(new URL('/control', url), { method: 'POST', body: JSON.stringify({ name, args }) });
    const answer = (await response.json()) as { result?: unknown; error?: string };
    if (answer.error !== undefined) throw new Error(`${name}: ${answer.error}`);
    return answer.result;
  };
  const entries = controlNames.map((name) => [name, (...args: unknown[]) => call(name, args)]);
  return Object.fromEntries(entries) as FakeStripeControls;
}
