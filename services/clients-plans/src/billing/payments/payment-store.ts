import { isDeepStrictEqual } from 'node:util';
import { Change, type RaisedEvent } from '@webkiln/messages';
import { acrossOrganizations, type Owner, type Scope, saveChange, scoped, type Tenant, where } from '@webkiln/store';
import {
  type BillingAccount,
  BillingAccountModel,
  BillingDetailsModel,
  detailsOf,
  OrderModel,
  type OrderRecord,
  orderById,
  storedAccount,
} from '../billing-store.ts';
import { expiryOf, type Payer, type SavedCard } from './provider.ts';

/** What is left is told of on the next day. */
const maxTold = 1_000;

/** Indexes have dates alone, so queries say that they look for dates. */
const dueBy = (now: Date) => where<Date | null>({ $gt: new Date(0), $lte: now });

/** Orders whose cards are to be charged in any organization, at most `limit`; `key` is an order. */
export const dueCharges = (now: Date, limit: number): Promise<Owner[]> =>
  acrossOrganizations(OrderModel).owners('_id', 'charge_at', { charge_at: dueBy(now) }, limit);

/**
 * Lets one process charge for an order until then; null if another one does, or nothing is to be charged any more.
 * Returns the order as it was before.
 */
export async function claimCharge({ org_id }: Tenant, _id: string, now: Date, until: Date): Promise<OrderRecord | null> {
  const order = await orderById({ org_id }, _id);
  if (order?.charge_at === null || order === null || order.charge_at > now) return null;
  const { matchedCount } = await scoped(OrderModel, { org_id }).updateOne(
    { _id, charge_at: order.charge_at, status: where({ $in: ['pending', 'failed'] as const }) },
    { $set: { charge_at: until, is_charging: true } },
  );
  return matchedCount === 1 ? order : null;
}

/** From now on the client pays the order by itself. */
export async function waitForClient({ org_id }: Tenant, _id: string): Promise<void> {
  await scoped(OrderModel, { org_id }).updateOne(
    { _id, status: where({ $in: ['pending', 'failed'] as const }) },
    { $set: { charge_at: null, is_charging: false } },
  );
}

/** Keeps who a client is at the provider, and its card there. */
export async function saveCard(
  { org_id }: Tenant,
  _id: string,
  account: string,
  { customer }: Payer,
  card: SavedCard | null,
): Promise<void> {
  const known = await detailsOf({ org_id }, _id);
  if (known?.stripe_account === account && known.stripe_customer === customer && isDeepStrictEqual(known.card, card)) return;
  const card_expires_at = card === null ? null : expiryOf(card);
  await scoped(BillingDetailsModel, { org_id }).updateOne(
    { _id },
    {
      $set: { stripe_account: account, stripe_customer: customer, card, card_expires_at },
      $setOnInsert: { name: null, address: null, tax_id: null },
    },
    { upsert: true },
  );
}

/** Tells the clients of an organization whose cards expire by `until`, once for each card. */
export async function tellOfExpiringCards({ org_id }: Tenant, until: Date): Promise<void> {
  const expiring = await scoped(BillingDetailsModel, { org_id }).find({ card_expires_at: dueBy(until) }, { limit: maxTold });
  for (const details of expiring) {
    const notice: RaisedEvent = { type: 'internal.billing.notice', data: { client_id: details._id, notice: 'card_expires' } };
    await saveChange(BillingDetailsModel, { org_id }, details, new Change({ card_expires_at: null }, [notice]));
  }
}

/** The client that has this name at the provider; null if none. */
export async function clientOfCustomer(scope: Scope, stripe_customer: string): Promise<string | null> {
  const found = await scoped(BillingDetailsModel, scope).findOne({ stripe_customer }, { fields: ['_id'] });
  return found?._id ?? null;
}

/** The organization that has this account at the provider; null if none. */
export async function organizationOfAccount(stripe_account: string): Promise<string | null> {
  const [owner] = await acrossOrganizations(BillingAccountModel).owners('_id', '_id', { stripe_account }, 1);
  return owner?.org_id ?? null;
}

/** Organizations whose payments are to be reconciled by now, at most `limit`. */
export const dueReconciliations = (now: Date, limit: number): Promise<Owner[]> =>
  acrossOrganizations(BillingAccountModel).owners('_id', 'reconcile_at', { reconcile_at: dueBy(now) }, limit);

/** Lets one process reconcile an organization's payments until then; null if another one does. */
export async function claimReconciliation({ org_id }: Tenant, now: Date, until: Date): Promise<BillingAccount | null> {
  const account = await storedAccount({ org_id });
  const { matchedCount } = await scoped(BillingAccountModel, { org_id }).updateOne(
    { _id: org_id, reconcile_at: dueBy(now) },
    { $set: { reconcile_at: until } },
  );
  return matchedCount === 1 ? account : null;
}

/** Everything that happened at the provider up to `until` is recorded; it is looked at again at `next`. */
export async function endReconciliation({ org_id }: Tenant, stripe_account: string, until: Date, next: Date): Promise<void> {
  const done = { reconciled_at: until, reconcile_at: next };
  await scoped(BillingAccountModel, { org_id }).updateOne({ _id: org_id, stripe_account }, { $set: done });
}
