import { BillingDetails, type ChangeablePaymentSettings, PaymentSettings } from '@webkiln/contract';
import {
  acrossOrganizations,
  batchedById,
  coalescedPage,
  defineModel,
  definitionOf,
  type Filter,
  type Owner,
  type Scope,
  type Stored,
  scoped,
  type Tenant,
  where,
} from '@webkiln/store';
import mongoose from 'mongoose';
import type { SavedCard } from './payments/provider.ts';
import type { InvoiceTexts, OrderState } from './rules/order.ts';
import type { SubscriptionState } from './rules/subscription.ts';

const text = { type: String, default: null };
const date = { type: Date, default: null };
const needed = { type: String, required: true };
const neededDate = { type: Date, required: true };
const neededNumber = { type: Number, required: true };

/** The subscription of a client that goes on has its client's id here, so that a client never has two. */
type StoredSubscription = SubscriptionState & { live_client_id: string | null };

export const SubscriptionModel = defineModel<StoredSubscription>(
  'subscriptions',
  {
    ...{ client_id: needed, live_client_id: text, plan_id: needed, status: needed, amount: neededNumber, currency: needed },
    ...{ interval: needed, provider: needed, anchor: neededDate, periods: neededNumber },
    ...{ period_start: neededDate, period_end: neededDate, trial_ends_at: date, next_plan_id: text },
    ...{ cancel_at_period_end: { type: Boolean, required: true }, was_paid: { type: Boolean, required: true } },
    is_refunded: { type: Boolean, default: false },
    ...{ past_due_since: date, reminders: neededNumber, paused_at: date, canceled_at: date, sites_end_at: date },
    renewal_told: date,
    ...{ credit: neededNumber, due_at: date, created_at: neededDate },
  },
  {
    exportedAs: 'subscriptions',
    raisesEvents: true,
    indexes: [
      [{ org_id: 1, client_id: 1, created_at: -1 }],
      [
        { org_id: 1, live_client_id: 1 },
        { unique: true, partialFilterExpression: { live_client_id: { $gt: '' } } },
      ],
      [{ org_id: 1, created_at: -1, _id: 1 }],
      [{ org_id: 1, due_at: 1 }],
    ],
    indexesAcross: [[{ due_at: 1, org_id: 1 }]],
  },
);
export type SubscriptionRecord = Stored<StoredSubscription>;

export const OrderModel = defineModel<OrderState>(
  'orders',
  {
    ...{ subscription_id: needed, client_id: needed, plan_id: needed, kind: needed, number: neededNumber },
    ...{
      amount: neededNumber,
      tax: neededNumber,
      currency: needed,
      status: needed,
      provider: needed,
      provider_ref: text,
      ...{ attempts: { type: Number, default: 0 }, charge_at: date, is_charging: { type: Boolean, default: false } },
      checkout: { type: mongoose.Schema.Types.Mixed, default: null },
      link: { type: String, default: '' },
    },
    ...{ invoice: { type: mongoose.Schema.Types.Mixed, required: true }, period_start: neededDate, period_end: neededDate },
    ...{ due_at: neededDate, paid_at: date, refunded_at: date, created_at: neededDate },
  },
  {
    exportedAs: 'orders',
    // Invoices are kept by law, without the names on them: `reduceOrders`.
    keptWhenErased: true,
    raisesEvents: true,
    indexes: [
      [{ org_id: 1, created_at: -1, _id: 1 }],
      [{ org_id: 1, client_id: 1, created_at: -1, _id: 1 }],
      // Of the open ones, the overdue are found in the index.
      [{ org_id: 1, status: 1, created_at: -1, _id: 1, due_at: 1 }],
      [{ org_id: 1, subscription_id: 1, status: 1 }],
      [{ org_id: 1, number: 1 }, { unique: true }],
    ],
    indexesAcross: [[{ charge_at: 1 }, { partialFilterExpression: { charge_at: { $gt: new Date(0) } } }]],
  },
);
export type OrderRecord = Stored<OrderState>;

const noTexts: InvoiceTexts = {
  issuer: { name: null, address: null, tax_id: null },
  customer: { name: null, email: null, address: null, tax_id: null },
  ...{ item: null, tax_name: null, tax_rate: null, prefix: '', note: null, bank_details: null },
};

/** Leaves numbers, sums and dates of an erased organization's orders. Returns how many had more. */
export async function reduceOrders(org_id: string): Promise<number> {
  const named = { link: where({ $gt: '' }) };
  const { matchedCount } = await scoped(OrderModel, { org_id }).updateMany(named, { $set: { link: '', invoice: noTexts } });
  return matchedCount;
}

/** The settings of an organization's payments, and how many invoices it has numbered. */
export interface BillingAccount extends ChangeablePaymentSettings {
  invoices: number;
  /** Until then one process renews the organization's subscriptions. */
  leased_until: Date;
  /** Its account at Stripe; null: it takes no cards. */
  stripe_account: string | null;
  /** True if Stripe lets it take payments. */
  stripe_ready: boolean;
  /** Up to when all that happened at Stripe is known to be recorded, and when that is looked at again. */
  reconciled_at: Date | null;
  reconcile_at: Date | null;
}

// One record per organization, under the organization's id.
export const BillingAccountModel = defineModel<BillingAccount>(
  'billing_accounts',
  {
    ...definitionOf(PaymentSettings.omit({ card_payments: true })),
    invoice_prefix: { type: String, default: '' },
    retry_days: { type: [Number], required: true },
    invoices: neededNumber,
    leased_until: neededDate,
    ...{ stripe_account: text, stripe_ready: { type: Boolean, default: false }, reconciled_at: date, reconcile_at: date },
  },
  {
    exportedAs: 'payment-settings',
    raisesEvents: true,
    indexesAcross: [
      [{ stripe_account: 1 }, { unique: true, partialFilterExpression: { stripe_account: { $gt: '' } } }],
      [{ reconcile_at: 1 }, { partialFilterExpression: { reconcile_at: { $gt: new Date(0) } } }],
    ],
  },
);

export const defaultSettings: ChangeablePaymentSettings = {
  ...{ currency: 'USD', time_zone: 'UTC', trial_days: 0, payment_days: 14, retry_days: [3, 5, 7] },
  ...{ grace_days: null, clients_may_cancel: false },
  ...{ issuer_name: null, issuer_address: null, issuer_tax_id: null, tax_name: null, tax_rate: null, tax_included: true },
  ...{ invoice_prefix: '', invoice_note: null, bank_details: null, mails_clients: false },
};

/** Null before the organization changed a setting or had an order: then `defaultSettings` hold. */
export const storedAccount = (tenant: Tenant): Promise<Stored<BillingAccount> | null> =>
  scoped(BillingAccountModel, tenant).findOne({ _id: tenant.org_id });

/** What a client's invoices say of it, and its card. */
interface StoredDetails extends BillingDetails {
  /** The organization's account at Stripe, and who the client is there. */
  stripe_account: string | null;
  stripe_customer: string | null;
  card: SavedCard | null;
  /** When that expires; null once the client was told that it will. */
  card_expires_at: Date | null;
}

/** Under the client's id. */
export const BillingDetailsModel = defineModel<StoredDetails>(
  'billing_details',
  {
    ...definitionOf(BillingDetails),
    ...{ stripe_account: text, stripe_customer: text, card: { type: mongoose.Schema.Types.Mixed, default: null }, card_expires_at: date },
  },
  {
    exportedAs: 'billing-details',
    raisesEvents: true,
    indexes: [
      [{ org_id: 1, stripe_customer: 1 }, { partialFilterExpression: { stripe_customer: { $gt: '' } } }],
      [{ org_id: 1, card_expires_at: 1 }, { partialFilterExpression: { card_expires_at: { $gt: new Date(0) } } }],
    ],
  },
);
export type DetailsRecord = Stored<StoredDetails>;

export const subscriptionOf = (scope: Scope, live_client_id: string): Promise<SubscriptionRecord | null> =>
  scoped(SubscriptionModel, scope).findOne({ live_client_id });

export const subscriptionById = (scope: Scope, _id: string): Promise<SubscriptionRecord | null> =>
  scoped(SubscriptionModel, scope).findOne({ _id });

/** The subscription that goes on, or the last one. */
export const lastSubscriptionOf = (scope: Scope, client_id: string): Promise<SubscriptionRecord | null> =>
  scoped(SubscriptionModel, scope).findOne({ client_id }, { sort: { created_at: -1 } });

/** Oldest first. */
export const openOrdersOf = (scope: Scope, subscription_ids: readonly string[]): Promise<OrderRecord[]> =>
  scoped(OrderModel, scope).find(
    { subscription_id: where({ $in: subscription_ids }), status: where({ $in: ['pending', 'failed'] as const }) },
    { sort: { number: 1 } },
  );

/** Null if nothing was set. */
export const detailsOf = batchedById(BillingDetailsModel);

/** The open orders of a client, oldest first. */
export const openOrdersOfClient = (scope: Scope, client_id: string): Promise<OrderRecord[]> =>
  scoped(OrderModel, scope).find({ client_id, status: where({ $in: ['pending', 'failed'] as const }) }, { sort: { created_at: 1 } });

export const orderById = (scope: Scope, _id: string): Promise<OrderRecord | null> => scoped(OrderModel, scope).findOne({ _id });

/** The latest orders of a client, newest first. */
export const latestOrdersOf = (scope: Scope, client_id: string, limit: number): Promise<OrderRecord[]> =>
  scoped(OrderModel, scope).find({ client_id }, { sort: { created_at: -1 }, limit });

/** Open orders whose day to be paid is over. */
export const overdueAt = (now: Date) => ({
  status: where({ $in: ['pending', 'failed'] as const }),
  due_at: where<Date>({ $lte: now }),
});

const ordersPage = coalescedPage(OrderModel, { sort: { created_at: -1, _id: 1 } });
export const orderPage = (scope: Scope, filter: Filter<OrderRecord>, page: Parameters<typeof ordersPage>[2]) =>
  ordersPage(scope, filter, page);

const subscriptionsPage = coalescedPage(SubscriptionModel, { sort: { created_at: -1, _id: 1 } });
export const subscriptionPage = (scope: Scope, page: Parameters<typeof subscriptionsPage>[2]) => subscriptionsPage(scope, {}, page);

const due = (now: Date) => ({ due_at: where<Date | null>({ $lte: now }) });

/** Subscriptions that are due in any organization, at most `limit`; `key` is a subscription. */
export const dueSubscriptions = (now: Date, limit: number): Promise<Owner[]> =>
  acrossOrganizations(SubscriptionModel).owners('_id', 'due_at', due(now), limit);

/** Due subscriptions of an organization, the earliest first. */
export const dueSubscriptionsOf = (scope: Scope, now: Date, limit: number): Promise<SubscriptionRecord[]> =>
  scoped(SubscriptionModel, scope).find(due(now), { sort: { due_at: 1 }, limit });

/** Lets one process renew the subscriptions of an organization until then; false if another one does. */
export async function leaseAccount({ org_id }: Tenant, now: Date, until: Date): Promise<boolean> {
  const { matchedCount } = await scoped(BillingAccountModel, { org_id }).updateOne(
    { _id: org_id, leased_until: where<Date>({ $lte: now }) },
    { $set: { leased_until: until } },
  );
  return matchedCount === 1;
}

export async function endLease({ org_id }: Tenant): Promise<void> {
  await scoped(BillingAccountModel, { org_id }).updateOne({ _id: org_id }, { $set: { leased_until: new Date(0) } });
}
