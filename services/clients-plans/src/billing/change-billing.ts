import { AppError } from '@webkiln/contract';
import { type Caller, Change } from '@webkiln/messages';
import { FairSlots } from '@webkiln/runtime';
import { insertChange, inTransaction, isDuplicate, type Session, saveWithRetry, scoped, type Tenant } from '@webkiln/store';
import { planById } from '../plans/plan-store.ts';
import {
  type BillingAccount,
  BillingAccountModel,
  type DetailsRecord,
  defaultSettings,
  detailsOf,
  type OrderRecord,
  openOrdersOf,
  type SubscriptionRecord,
  storedAccount,
  subscriptionOf,
} from './billing-store.ts';
import type { SavedCard } from './payments/provider.ts';
import { BillingCycle } from './rules/billing-cycle.ts';
import { roundedMinor } from './rules/money.ts';
import type { OrderState } from './rules/order.ts';
import type { PricedPlan, Terms } from './rules/subscription.ts';

/** An organization with its account, and the transaction that changes what its clients owe. */
export type Billing = Tenant & { readonly session: Session; readonly account: BillingAccount };

/**
 * Numbers of invoices have no gaps, so an organization's transactions that open orders run one after another: conflicts
 * would only be repeated.
 */
const slots = new FairSlots({
  ...{ slots: Number.POSITIVE_INFINITY, maxPerKey: 1, maxWaitingPerKey: 1_024, maxWaiting: 100_000, maxWaitMs: 20_000 },
  refusal: () => new AppError('overloaded'),
});

/** Runs `work` as a transaction that may open orders, again if a record changed meanwhile: see `inTransaction`. */
export const billingTransaction = <R>(
  org_id: string,
  work: (billing: Billing) => Promise<R>,
  caller: Pick<Caller, 'ifMatch'> & Partial<Pick<Caller, 'deadlineAt'>> = {},
): Promise<R> =>
  slots.run(org_id, async () => {
    await openAccount(org_id);
    const attempt = async (session: Session) => {
      const billing = { org_id, session, account: await accountOf({ org_id, session }) };
      const { invoices } = billing.account;
      const result = await work(billing);
      if (billing.account.invoices !== invoices) await saveInvoices(billing);
      return result;
    };
    return saveWithRetry(caller, () => inTransaction(BillingAccountModel, attempt, caller).catch(lostRace));
  });

async function saveInvoices(billing: Billing): Promise<void> {
  const { invoices } = billing.account;
  await scoped(BillingAccountModel, billing).updateOne({ _id: billing.org_id }, { $set: { invoices } });
}

/** Another process opened a subscription for the same client meanwhile. */
function lostRace(error: unknown): never {
  throw isDuplicate(error, 'live_client_id') ? new AppError('edited_meanwhile', [], { cause: error }) : error;
}

/** The first change opens the account. */
export async function openAccount(org_id: string): Promise<void> {
  if ((await storedAccount({ org_id })) !== null) return;
  const first = { _id: org_id, ...defaultSettings, invoices: 0, leased_until: new Date(0), ...noStripe };
  await insertChange(BillingAccountModel, { org_id }, new Change(first, []));
}

const noStripe = { stripe_account: null, stripe_ready: false, reconciled_at: null, reconcile_at: null };

async function accountOf(tenant: Tenant): Promise<BillingAccount> {
  const account = await storedAccount(tenant);
  if (account === null) throw new AppError('organization_suspended');
  return account;
}

/** What a plan costs. Throws `plan_unknown`. */
export async function pricedPlan({ org_id }: Tenant, id: string, { currency }: Pick<BillingAccount, 'currency'>): Promise<PricedPlan> {
  const plan = await planById({ org_id }, id);
  if (plan === null) throw new AppError('plan_unknown');
  return { _id: plan._id, name: plan.name, price: roundedMinor(plan.price, currency), interval: plan.interval };
}

/** A subscription that goes on, with copies of its open orders for the cycle to change. */
export interface Run {
  readonly cycle: BillingCycle;
  readonly orders: readonly OrderState[];
  /** As they are stored; null: it is new. */
  readonly stored: { readonly subscription: SubscriptionRecord; readonly orders: readonly OrderRecord[] } | null;
  /** What invoices say of the client. */
  readonly details: DetailsRecord | null;
}

/** The card that is charged for a client's orders; null: the client is waited for. */
export function cardOf({ stripe_account, stripe_ready }: BillingAccount, details: DetailsRecord | null): SavedCard | null {
  const card = details?.card;
  return stripe_ready && details?.stripe_account === stripe_account && card?.payment_method ? card : null;
}

const termsOf = (account: BillingAccount, details: DetailsRecord | null): Terms => ({
  ...account,
  charges_card: cardOf(account, details) !== null,
});

/**
 * Begins a change of a client's subscription. Null if none goes on. It is read outside of the transaction: whatever
 * changes an order changes its subscription, too, whose revision is checked when it is saved.
 */
export async function runOf(billing: Billing, client_id: string): Promise<Run | null> {
  const subscription = await subscriptionOf({ org_id: billing.org_id }, client_id);
  return subscription === null ? null : runOver(billing, subscription);
}

export const runOver = async (billing: Billing, subscription: SubscriptionRecord): Promise<Run> =>
  (await runsOver(billing, [subscription]))[0] as Run;

/** The same for several subscriptions, in as many reads. */
export async function runsOver({ org_id, account }: Billing, subscriptions: readonly SubscriptionRecord[]): Promise<Run[]> {
  const ids = subscriptions.map(({ _id }) => _id);
  const [open, details] = await Promise.all([
    openOrdersOf({ org_id }, ids),
    Promise.all(subscriptions.map(({ client_id }) => detailsOf({ org_id }, client_id))),
  ]);
  const ordersOf = Map.groupBy(open, ({ subscription_id }) => subscription_id);
  return subscriptions.map((subscription, at) => {
    const own = ordersOf.get(subscription._id) ?? [];
    const orders = own.map((order) => ({ ...order }));
    const { org_id: _org, revision: _revision, live_client_id: _live, ...state } = subscription;
    const cycle = new BillingCycle(state, orders, termsOf(account, details[at] ?? null));
    return { cycle, orders, stored: { subscription, orders: own }, details: details[at] ?? null };
  });
}

/** Begins a subscription of a client who has none. */
export async function newRun({ org_id, account }: Billing, _id: string, client_id: string, plan: PricedPlan, now: Date): Promise<Run> {
  const details = await detailsOf({ org_id }, client_id);
  const cycle = BillingCycle.open({ _id, client_id, currency: account.currency }, plan, termsOf(account, details), now);
  return { cycle, orders: [], stored: null, details };
}
