import { randomBytes, randomUUID } from 'node:crypto';
import { AppError, changedFields } from '@webkiln/contract';
import { type Caller, Change, type RaisedEvent } from '@webkiln/messages';
import { FairSlots } from '@webkiln/runtime';
import { insertChange, inTransaction, isDuplicate, type Session, saveChange, saveWithRetry, scoped, type Tenant } from '@webkiln/store';
import { type BilledFields, type ClientState, changeClient, toClient } from '../clients/client.ts';
import { ClientModel, type ClientRecord } from '../clients/client-store.ts';
import { planById } from '../plans/plan-store.ts';
import { BillingCycle } from './billing-cycle.ts';
import {
  type BillingAccount,
  BillingAccountModel,
  type DetailsRecord,
  defaultSettings,
  detailsOf,
  OrderModel,
  type OrderRecord,
  openOrdersOf,
  SubscriptionModel,
  type SubscriptionRecord,
  storedAccount,
  subscriptionOf,
} from './billing-store.ts';
import { clock } from './clock.ts';
import { roundedMinor } from './money.ts';
import type { InvoiceTexts, OrderState } from './order.ts';
import type { SavedCard } from './payments/provider.ts';
import { countInMonth } from './revenue.ts';
import type { PricedPlan, Terms } from './subscription.ts';

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

export async function runOver({ org_id, account }: Billing, subscription: SubscriptionRecord): Promise<Run> {
  const [open, details] = await Promise.all([openOrdersOf({ org_id }, subscription._id), detailsOf({ org_id }, subscription.client_id)]);
  const orders = open.map((order) => ({ ...order }));
  const { org_id: _org, revision: _revision, live_client_id: _live, ...state } = subscription;
  return { cycle: new BillingCycle(state, orders, termsOf(account, details)), orders, stored: { subscription, orders: open }, details };
}

/** Begins a subscription of a client who has none. */
export async function newRun({ org_id, account }: Billing, _id: string, client_id: string, plan: PricedPlan, now: Date): Promise<Run> {
  const details = await detailsOf({ org_id }, client_id);
  const cycle = BillingCycle.open({ _id, client_id, currency: account.currency }, plan, termsOf(account, details), now);
  return { cycle, orders: [], stored: null, details };
}

interface Raised {
  /** About the subscription, such as its audit. */
  readonly acts?: readonly RaisedEvent[];
  /** About an order that changed. `client` is the public record after the change. */
  readonly ofOrder?: (order: OrderState, client: ReturnType<typeof toClient>) => readonly RaisedEvent[];
}

/**
 * Saves the subscription with its orders. Returns what changes of its client, for the caller to save in the same
 * transaction.
 */
export async function saveRun(billing: Billing, client: ClientState, run: Run, raised: Raised = {}): Promise<BilledFields> {
  const { state, paymentStatus, notices } = run.cycle;
  const isLive = state.status !== 'canceled';
  const billed: BilledFields = {
    ...(paymentStatus !== undefined && { payment_status: paymentStatus }),
    ...(isLive && { plan_id: state.plan_id }),
    ...(run.cycle.isGraceOver && client.status === 'active' && { status: 'suspended', is_unpaid: true }),
    ...(paymentStatus === 'active' && client.is_unpaid && { status: 'active', is_unpaid: false }),
  };
  const after = toClient({ ...client, ...billed });
  await saveOrders(billing, run, (order) => raised.ofOrder?.(order, after) ?? []);
  await insertOrders(billing, client, run);
  const before = run.stored?.subscription;
  const wasPaid = before?.was_paid ?? false;
  await countInMonth(billing, billing.account.time_zone, clock.now(), {
    opened: before === undefined ? 1 : 0,
    started: state.was_paid && !wasPaid ? 1 : 0,
    canceled: !isLive && state.was_paid && before?.status !== 'canceled' ? 1 : 0,
    paid: run.orders.reduce(
      (sum, { status, amount }, at) => sum + (status === 'paid' && run.stored?.orders[at]?.status !== 'paid' ? amount : 0),
      0,
    ),
  });
  const { _id, ...changed } = { ...state, live_client_id: isLive ? state.client_id : null };
  const told = notices.map((notice): RaisedEvent => ({ type: 'internal.billing.notice', data: { client_id: client._id, notice } }));
  const events = [...told, ...(raised.acts ?? [])];
  if (run.stored === null) await insertChange(SubscriptionModel, billing, new Change({ _id, ...changed }, events));
  else await saveChange(SubscriptionModel, billing, run.stored.subscription, new Change(changed, events));
  return billed;
}

const orderFields = ['status', 'due_at', 'paid_at', 'charge_at', 'provider', 'provider_ref', 'attempts', 'is_charging'] as const;

async function saveOrders(
  billing: Billing,
  { orders, stored }: Run,
  eventsOf: (order: OrderState) => readonly RaisedEvent[],
): Promise<void> {
  for (const [at, order] of orders.entries()) {
    const before = stored?.orders[at];
    const changed = before === undefined ? null : changedFields(before, order, orderFields);
    if (before !== undefined && changed !== null) await saveChange(OrderModel, billing, before, new Change(changed, eventsOf(order)));
  }
}

const linkBytes = 24;
/** Before anybody has tried to pay. */
const untried = { provider_ref: null, attempts: 0, is_charging: false, checkout: null };

async function insertOrders(billing: Billing, client: ClientState, { cycle, details }: Run): Promise<void> {
  const { account } = billing;
  const created_at = clock.now();
  if (cycle.opened.length > 0) cycle.state.provider = account.stripe_ready ? 'stripe' : 'manual';
  for (const { item, ...order } of cycle.opened) {
    account.invoices += 1;
    const identity = { _id: randomUUID(), number: account.invoices, link: randomBytes(linkBytes).toString('base64url') };
    const invoice = invoiceTexts(account, client, details, item);
    const state: OrderState = { ...order, ...identity, invoice, ...untried, provider: cycle.state.provider, created_at };
    await insertChange(OrderModel, billing, new Change(state, []));
  }
}

/** The same with the client, whose other fields stay. */
export async function saveRunOf(billing: Billing, client: ClientRecord, run: Run, raised?: Raised): Promise<void> {
  const { payment_status, is_unpaid, ...fields } = await saveRun(billing, client, run, raised);
  const change = changeClient(client, fields, { payment_status, is_unpaid });
  if (change !== null) await saveChange(ClientModel, billing, client, change);
}

/** What the invoice will say for good, whatever changes later. */
function invoiceTexts(account: BillingAccount, client: ClientState, details: DetailsRecord | null, item: string): InvoiceTexts {
  const { issuer_name, issuer_address, issuer_tax_id, tax_name, tax_rate, invoice_prefix, invoice_note, bank_details } = account;
  const name = details?.name ?? client.company ?? client.name ?? client.email;
  return {
    issuer: { name: issuer_name, address: issuer_address, tax_id: issuer_tax_id },
    customer: { name, email: client.email, address: details?.address ?? null, tax_id: details?.tax_id ?? null },
    ...{ item, tax_name, tax_rate, prefix: invoice_prefix, note: invoice_note, bank_details },
  };
}
