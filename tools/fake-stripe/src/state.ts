import { randomInt } from 'node:crypto';
import type Stripe from 'stripe';
import type { CardName } from './controls.ts';
import { accountInvalid, resourceMissing } from './errors.ts';

/** The objects that belong to an account or to the platform, by the name in their field `object`. */
export interface Kinds {
  customer: Stripe.Customer;
  payment_method: Stripe.PaymentMethod;
  payment_intent: Stripe.PaymentIntent;
  charge: Stripe.Charge;
  refund: Stripe.Refund;
  dispute: Stripe.Dispute;
  event: Stripe.Event;
  'checkout.session': Stripe.Checkout.Session;
  'billing_portal.configuration': Stripe.BillingPortal.Configuration;
  'billing_portal.session': Stripe.BillingPortal.Session;
}
export type Kind = keyof Kinds;
export type StripeObject = Kinds[Kind];

/** The account that an object belongs to; null is the platform. */
export type Owner = string | null;

/** A page for onboarding, which works once. */
export interface OnboardingLink {
  readonly account: string;
  readonly expiresAt: number;
  readonly refreshUrl: string;
  readonly returnUrl: string;
  isUsed: boolean;
}

/** What a Checkout session gives its payment. */
export interface PaymentData {
  readonly application_fee_amount?: number;
  readonly description?: string;
  readonly metadata?: Record<string, string>;
  readonly setup_future_usage?: 'off_session' | 'on_session';
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const newId = (prefix: string, length = 24): string =>
  prefix + Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** The id of a field that may be expanded. */
export const idOf = (value: string | { id: string } | null | undefined): string | null =>
  typeof value === 'string' ? value : (value?.id ?? null);

export const apiVersion = '2026-10-28.endive';

/** All that the server knows. */
export class State {
  readonly secretKey: string;
  /** The base of the API and of the pages. */
  url = '';
  readonly accounts = new Map<string, Stripe.Account>();
  readonly onboardingLinks = new Map<string, OnboardingLink>();
  /** By payment method. */
  readonly cards = new Map<string, CardName>();
  /** By Checkout session, as the next one. */
  readonly lineItems = new Map<string, Stripe.LineItem[]>();
  readonly paymentData = new Map<string, PaymentData>();
  /** The request that is being handled, for the events that it causes. */
  request: Stripe.Event.Request | null = null;
  readonly #objects = new Map<string, { owner: Owner; object: StripeObject }>();
  readonly #onEvent: (event: Stripe.Event) => void;
  #offsetMs = 0;

  constructor(secretKey: string, onEvent: (event: Stripe.Event) => void) {
    this.secretKey = secretKey;
    this.#onEvent = onEvent;
  }

  nowMs(): number {
    return Date.now() + this.#offsetMs;
  }

  /** Unix seconds. */
  now(): number {
    return Math.floor(this.nowMs() / 1000);
  }

  advance(ms: number): void {
    this.#offsetMs += ms;
  }

  add<Found extends StripeObject>(owner: Owner, object: Found): Found {
    this.#objects.set(object.id, { owner, object });
    return object;
  }

  /** Undefined for objects of another account, too. */
  lookUp<K extends Kind>(owner: Owner, kind: K, id: string): Kinds[K] | undefined {
    const found = this.#objects.get(id);
    return found?.owner === owner && found.object.object === kind ? (found.object as Kinds[K]) : undefined;
  }

  /** The object that the URL of a request names. */
  ofUrl<K extends Kind>(owner: Owner, kind: K, id: string, param = 'id'): Kinds[K] {
    const found = this.lookUp(owner, kind, id);
    if (found === undefined) throw resourceMissing(kind, id, param, true);
    return found;
  }

  /** The object that a parameter of a request names. */
  ofParam<K extends Kind>(owner: Owner, kind: K, id: string, param: string): Kinds[K] {
    const found = this.lookUp(owner, kind, id);
    if (found === undefined) throw resourceMissing(kind, id, param, false);
    return found;
  }

  /** An object by its id alone, as its page has it, with its owner. */
  anywhere<K extends Kind>(kind: K, id: string): { owner: Owner; object: Kinds[K] } | undefined {
    const found = this.#objects.get(id);
    return found?.object.object === kind ? (found as { owner: Owner; object: Kinds[K] }) : undefined;
  }

  /** The objects of one owner, or of all for undefined; oldest first. */
  all<K extends Kind>(kind: K, owner?: Owner): Kinds[K][] {
    return [...this.#objects.values()]
      .filter((found) => found.object.object === kind && (owner === undefined || found.owner === owner))
      .map(({ object }) => object as Kinds[K]);
  }

  account(id: string): Stripe.Account {
    const found = this.accounts.get(id);
    if (found === undefined) throw accountInvalid(this.secretKey, id);
    return found;
  }

  /** Adds the event of a change. `before` is the object before it, of which the event has what changed. */
  record(owner: Owner, type: Stripe.Event.Type, object: object, before?: object): void {
    const event = {
      id: newId('evt_'),
      object: 'event',
      ...(owner === null ? {} : { account: owner }),
      api_version: apiVersion,
      created: this.now(),
      data: {
        object: structuredClone(object),
        ...(before === undefined ? {} : { previous_attributes: previousAttributes(before, object) }),
      },
      livemode: false,
      pending_webhooks: 0,
      request: this.request ?? { id: null, idempotency_key: null },
      type,
    } as Stripe.Event;
    this.#onEvent(this.add(owner, event));
  }
}

type Fields = Record<string, unknown>;

function previousAttributes(before: object, after: object): Fields {
  const earlier = before as Fields;
  const changed = Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(earlier[name]));
  return Object.fromEntries(
    changed.map(([name, value]) => {
      const previous = earlier[name] ?? null;
      return [name, isFields(value) && isFields(previous) ? previousAttributes(previous, value) : previous];
    }),
  );
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
