import { AppError, type PaymentSettings } from '@webkiln/contract';
import { auditEvent, type Caller, Change } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { type Stored, saveChange, saveWithRetry } from '@webkiln/store';
import { type BillingAccount, BillingAccountModel, storedAccount } from '../billing-store.ts';
import { openAccount } from '../change-billing.ts';
import type { Merchant, Payments } from './apply-payment.ts';

type AccountFields = Pick<BillingAccount, 'stripe_account' | 'stripe_ready' | 'reconcile_at' | 'reconciled_at'>;

const dayMs = 86_400_000;

async function existingAccount(org_id: string): Promise<Stored<BillingAccount>> {
  const account = await storedAccount({ org_id });
  if (account === null) throw new AppError('organization_suspended');
  return account;
}

const audited = (caller: Caller) =>
  auditEvent(caller, 'payment_settings.changed', { kind: 'organization', id: caller.principal.org_id, name: null });

/** Records if the organization may take cards, as it is now at the provider. Returns true if that was new. */
export async function refreshAccount({ org_id, provider, account }: Merchant): Promise<boolean> {
  const stripe_ready = await provider.isReady(account);
  return saveWithRetry({}, async () => {
    const current = await existingAccount(org_id);
    if (current.stripe_account !== account || current.stripe_ready === stripe_ready) return false;
    await saveChange(BillingAccountModel, { org_id }, current, new Change({ stripe_ready }, []));
    return true;
  });
}

/** What the settings say of cards. An account that Stripe wants to know more about is looked up. */
export async function cardState(
  { origin, provider }: Payments,
  org_id: string,
  currency: string,
): Promise<PaymentSettings['card_payments']> {
  if (provider === null || provider.refusalOf(currency) !== undefined) return 'unavailable';
  const account = await storedAccount({ org_id });
  if (!account?.stripe_account) return 'not_connected';
  if (account.stripe_ready) return 'ready';
  try {
    await refreshAccount({ origin, provider, org_id, account: account.stripe_account });
  } catch (err) {
    logger.warn({ err, org_id }, 'the Stripe account could not be looked up');
  }
  // A message of Stripe may have been faster.
  return (await storedAccount({ org_id }))?.stripe_ready === true ? 'ready' : 'incomplete';
}

/** Begins, or goes on, to take cards. Returns the page on which Stripe asks what it needs to know. */
export async function connectStripe({ origin, provider }: Payments, caller: Caller): Promise<string> {
  const { org_id } = caller.principal;
  await openAccount(org_id);
  const { currency, stripe_account } = await existingAccount(org_id);
  if (provider === null || provider.refusalOf(currency) !== undefined) throw new AppError('stripe_unavailable');
  const account = stripe_account ?? (await provider.createAccount(org_id));
  await setAccount(caller, { stripe_account: account, reconcile_at: new Date(Date.now() + dayMs), reconciled_at: new Date() });
  return provider.onboardingUrl(account, `${origin}/payments`);
}

/** Takes no more cards. Open orders wait for their clients. */
export async function disconnectStripe(caller: Caller): Promise<void> {
  await openAccount(caller.principal.org_id);
  await setAccount(caller, { stripe_account: null, stripe_ready: false, reconcile_at: null, reconciled_at: null });
}

/** An account is set once: a repeat changes nothing. */
const setAccount = (caller: Caller, wanted: Partial<AccountFields>): Promise<void> =>
  saveWithRetry(caller, async () => {
    const current = await existingAccount(caller.principal.org_id);
    if (current.stripe_account === wanted.stripe_account) return;
    await saveChange(BillingAccountModel, caller, current, new Change(wanted, [audited(caller)]));
  });
