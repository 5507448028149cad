import { serviceCaller } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { detailsOf, orderById, storedAccount } from '../billing-store.ts';
import { type Billing, billingTransaction } from '../change-billing.ts';
import { isOpen, type OrderState } from '../rules/order.ts';
import { recordRefund, settleOrder } from '../settle-order.ts';
import { saveCard } from './payment-store.ts';
import type { Payer, Payment, PaymentProvider } from './provider.ts';

/** Who takes payments by card, and for whom. */
export interface Payments {
  /** Where the platform is. */
  readonly origin: string;
  /** Null: this platform takes no cards. */
  readonly provider: PaymentProvider | null;
}

/** The same with a provider and an organization's account there. */
export interface Merchant {
  readonly origin: string;
  readonly provider: PaymentProvider;
  readonly org_id: string;
  readonly account: string;
}

/** Undefined if the organization takes no cards. */
export async function merchantOf({ origin, provider }: Payments, org_id: string): Promise<Merchant | undefined> {
  const stored = await storedAccount({ org_id });
  if (provider === null || !stored?.stripe_account || !stored.stripe_ready) return undefined;
  return { origin, provider, org_id, account: stored.stripe_account };
}

const timeoutMs = 20_000;

/** What a payment means for its order as that is now. */
function outcomeOf(order: OrderState, payment: Payment): 'none' | 'paid' | 'refunded' | 'failed' | 'late' {
  const { status, attempt, ref } = payment;
  if (status === 'paid' || (status === 'refunded' && isOpen(order))) {
    if (isOpen(order)) return 'paid';
    return order.provider_ref === ref || status === 'refunded' ? 'none' : 'late';
  }
  if (status === 'refunded') return order.status === 'paid' && order.provider_ref === ref ? 'refunded' : 'none';
  // Whoever is declined on the page of the provider is still there, and may try again.
  return status === 'declined' && attempt === order.attempts && isOpen(order) ? 'failed' : 'none';
}

/**
 * Records a payment as it is now at the provider, whatever was recorded before: so it may be called at any time, again
 * and in any order. A payment of an order that needs none any more is given back. Returns true if that changed
 * anything.
 */
export async function applyPayment(merchant: Merchant, payment: Payment): Promise<boolean> {
  const { origin, org_id, provider, account } = merchant;
  const seen = await orderById({ org_id }, payment.order_id);
  if (seen === null || !isFor(seen, payment) || outcomeOf(seen, payment) === 'none') return false;
  const caller = serviceCaller('clients-plans', org_id, timeoutMs);
  const record = async (billing: Billing) => {
    const order = await orderById(billing, payment.order_id);
    const outcome = order === null ? 'none' : outcomeOf(order, payment);
    if (order === null) return outcome;
    if (outcome === 'paid') {
      await settleOrder(origin, billing, caller, order, 'paid', { provider: provider.name, provider_ref: payment.ref, is_charging: false });
    } else if (outcome === 'failed') {
      await settleOrder(origin, billing, caller, order, 'failed', { attempts: order.attempts + 1, is_charging: false });
    } else if (outcome === 'refunded') await recordRefund(billing, caller, order);
    return outcome;
  };
  const outcome = await billingTransaction(org_id, record, caller);
  if (outcome === 'late') {
    await provider.refund(account, payment.ref);
    logger.warn({ org_id, order_id: payment.order_id, payment: payment.ref }, 'a payment of an order that needs none was given back');
  }
  if (outcome === 'paid' && payment.customer !== null) await rememberCard(merchant, seen.client_id, payment.customer);
  // What was paid back before we heard of the payment.
  if (outcome === 'paid' && payment.status === 'refunded') await applyPayment(merchant, payment);
  return outcome !== 'none';
}

/** False, and a line in the log, for a payment that was not made for this order. */
function isFor({ _id, org_id, amount, currency }: OrderState & { org_id: string }, payment: Payment): boolean {
  if (payment.amount === amount && payment.currency === currency) return true;
  logger.error({ org_id, order_id: _id, payment: payment.ref }, 'a payment is not of the sum of its order; it changes nothing');
  return false;
}

/** Keeps what card a client pays with, as it is now at the provider. */
export async function rememberCard({ org_id, account, provider }: Merchant, client_id: string, customer: string): Promise<void> {
  await saveCard({ org_id }, client_id, account, { customer }, await provider.card(account, customer));
}

/** The client's name at the provider, which is made once. */
export async function payerOf(
  { org_id, account, provider }: Merchant,
  client: Parameters<PaymentProvider['createPayer']>[1],
): Promise<Payer> {
  const known = await detailsOf({ org_id }, client._id);
  if (known?.stripe_account === account && known.stripe_customer !== null) return { customer: known.stripe_customer };
  const payer = await provider.createPayer(account, client);
  await saveCard({ org_id }, client._id, account, payer, null);
  return payer;
}
