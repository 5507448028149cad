import type Stripe from 'stripe';
import type { ProviderChange } from './provider.ts';

/** The id of what Stripe sends as its id, or whole. */
export const idOf = (object: string | { readonly id: string } | null | undefined): string | null =>
  typeof object === 'string' ? object : (object?.id ?? null);

/** Events by the object that they are about. Everything else about a payment is read from the payment. */
const payments = ['payment_intent.succeeded', 'payment_intent.payment_failed', 'payment_intent.canceled'] as const;
const charges = ['charge.refunded', 'charge.dispute.closed'] as const;
const checkouts = ['checkout.session.completed', 'checkout.session.async_payment_succeeded'] as const;
const cards = ['customer.updated', 'payment_method.attached', 'payment_method.detached'] as const;
const accounts = ['account.updated', 'account.application.deauthorized'] as const;
/** The events that an operator's endpoint at Stripe is to send. */
export const eventTypes = [...payments, ...charges, ...checkouts, ...cards, ...accounts];

const isOneOf = (types: readonly string[], type: string) => types.includes(type);

/** What an event is about; null if nothing that matters here. */
export function changeOf({ type, account, data }: Stripe.Event): ProviderChange | null {
  const object = data.object as { id: string; payment_intent?: string | { id: string }; customer?: string | { id: string } | null };
  const change = (of: ProviderChange['of'], ref: string | null): ProviderChange | null =>
    account === undefined || ref === null ? null : { account, of, ref };
  if (isOneOf(payments, type)) return change('payment', object.id);
  if (isOneOf(charges, type)) return change('payment', idOf(object.payment_intent));
  if (isOneOf(checkouts, type)) return change('checkout', object.id);
  if (type === 'customer.updated') return change('card', object.id);
  // A card that was taken away is of nobody any more.
  const before = data.previous_attributes as { customer?: string } | undefined;
  if (isOneOf(cards, type)) return change('card', idOf(object.customer) ?? before?.customer ?? null);
  return isOneOf(accounts, type) ? change('account', account ?? null) : null;
}
