import { logger, runPeriodically, Semaphore } from '@webkiln/runtime';
import { detailsOf, type OrderRecord, storedAccount } from '../billing-store.ts';
import { cardOf } from '../change-billing.ts';
import { clock } from '../clock.ts';
import { applyPayment, type Merchant, type Payments } from './apply-payment.ts';
import { claimCharge, dueCharges, waitForClient } from './payment-store.ts';
import { type Payment, ProviderError, type SavedCard } from './provider.ts';

const pollMs = 5_000;
/** Longer than a charge takes, with its repeats; then another process goes on with it. */
const leaseMs = 120_000;
const maxDue = 500;
const atOnce = new Semaphore({ permits: 10 });

/** Charges cards for orders that are due. Returns how to stop. */
export const startCharges = (payments: Payments): (() => void) =>
  runPeriodically({ everyMs: pollMs, name: 'charges of cards' }, () => chargeDue(payments));

/** Charges each order that is due by now, of any organization, unless another process does. */
export async function chargeDue({ origin, provider }: Payments): Promise<void> {
  if (provider === null) return;
  const due = await dueCharges(clock.now(), maxDue);
  await Promise.all(due.map(({ org_id, key }) => atOnce.run(() => chargeOrder({ origin, provider }, org_id, key))));
}

async function chargeOrder(parts: Pick<Merchant, 'origin' | 'provider'>, org_id: string, order_id: string): Promise<void> {
  try {
    const now = clock.now();
    const order = await claimCharge({ org_id }, order_id, now, new Date(now.getTime() + leaseMs));
    if (order === null) return;
    const account = await storedAccount({ org_id });
    const card = account === null ? null : cardOf(account, await detailsOf({ org_id }, order.client_id));
    // The client has taken its card back, or the organization takes none any more: it pays as its invoice says.
    if (card === null || !account?.stripe_account) return await waitForClient({ org_id }, order_id);
    const merchant = { ...parts, org_id, account: account.stripe_account };
    const payment = await pay(merchant, card, order);
    if (payment.status === 'open') await waitForClient({ org_id }, order_id);
    else await applyPayment(merchant, payment);
  } catch (err) {
    logger.warn({ err, org_id, order_id }, 'charge of a card failed; it is tried again in two minutes');
  }
}

/** One payment for an order, however often it was begun: with its page, by a process that died, or now. */
async function pay({ provider, account }: Merchant, card: SavedCard, order: OrderRecord): Promise<Payment> {
  try {
    const byClient = order.checkout === null ? null : await provider.closeCheckout(account, order.checkout.ref);
    if (byClient?.status === 'paid') return byClient;
    const earlier = order.is_charging ? await provider.earlierCharge(account, card, order) : null;
    return earlier ?? (await provider.charge(account, card, order));
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const { org_id, _id, amount, currency, attempts: attempt } = order;
    logger.warn({ err: error, org_id, order_id: _id }, 'a card cannot be charged; its client is asked to pay');
    return { ref: '', order_id: _id, amount, currency, status: 'declined', attempt, customer: null };
  }
}
