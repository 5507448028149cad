import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { counter, logger, runPeriodically } from '@webkiln/runtime';
import { afterDays } from '../rules/period.ts';
import { applyPayment, type Merchant, type Payments, rememberCard } from './apply-payment.ts';
import {
  claimReconciliation,
  clientOfCustomer,
  dueReconciliations,
  endReconciliation,
  organizationOfAccount,
  tellOfExpiringCards,
} from './payment-store.ts';
import { expiryDays, type ProviderChange } from './provider.ts';
import { refreshAccount } from './stripe-account.ts';

const pollMs = 60_000;
const dayMs = 86_400_000;
/** A reconciliation that was interrupted is done again after this. */
const leaseMs = 3_600_000;
/** What happened shortly before the last one may not have been in it. */
const overlapMs = 3_600_000;
const maxDue = 20;

const mended = counter({
  name: 'webkiln_payments_mended_total',
  help: 'Changes at the payment provider of which no message had arrived until the daily reconciliation',
});

/** Looks at what a change is of, and records it. Returns true if that was new. */
async function apply(merchant: Merchant, { of, ref }: ProviderChange): Promise<boolean> {
  const { provider, account, org_id } = merchant;
  if (of === 'account') return refreshAccount(merchant);
  if (of === 'card') {
    const client_id = await clientOfCustomer({ org_id }, ref);
    if (client_id !== null) await rememberCard(merchant, client_id, ref);
    return false;
  }
  const payment = of === 'payment' ? await provider.payment(account, ref) : await provider.checkoutPayment(account, ref);
  return payment !== null && applyPayment(merchant, payment);
}

/** Messages of the provider: their signature authenticates the caller. */
export const providerEventUseCases = ({ origin, provider }: Payments) => [
  handle('billing.ReceivePaymentEvent', async ({ body, signature }) => {
    if (provider === null) throw new AppError('payment_event_refused');
    const change = provider.readEvent(Buffer.from(body), signature);
    const org_id = change === null ? null : await organizationOfAccount(change.account);
    if (change !== null && org_id !== null) await apply({ origin, provider, org_id, account: change.account }, change);
    return {};
  }),
];

/** Looks once a day at what happened at the provider, for messages that never arrived. Returns how to stop. */
export const startReconciliation = (payments: Payments): (() => void) =>
  runPeriodically({ everyMs: pollMs, name: 'reconciliation of payments' }, () => reconcileDue(payments, new Date()));

/** Reconciles each organization that is due by now, unless another process does. */
export async function reconcileDue({ origin, provider }: Payments, now: Date): Promise<void> {
  if (provider === null) return;
  for (const { org_id } of await dueReconciliations(now, maxDue)) {
    const account = await claimReconciliation({ org_id }, now, new Date(now.getTime() + leaseMs));
    if (account?.stripe_account) {
      await reconcile({ origin, provider, org_id, account: account.stripe_account }, account.reconciled_at ?? new Date(0), now);
    }
  }
}

async function reconcile(merchant: Merchant, last: Date, now: Date): Promise<void> {
  const { org_id, provider, account } = merchant;
  let count = 0;
  for await (const change of provider.changesSince(account, new Date(last.getTime() - overlapMs))) {
    if (!(await apply(merchant, change))) continue;
    count += 1;
    mended.inc();
    logger.warn({ org_id, changed: change.of, ref: change.ref }, 'a payment was reconciled: the message of this change had not arrived');
  }
  await tellOfExpiringCards({ org_id }, afterDays(now, expiryDays));
  await endReconciliation({ org_id }, account, now, new Date(now.getTime() + dayMs));
  logger.info({ org_id, mended: count }, 'payments were reconciled');
}
