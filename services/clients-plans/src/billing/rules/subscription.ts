import { createProjection, Subscription, withDates } from '@webkiln/contract';
import type { Events } from '@webkiln/messages';
import { shareOf, toMajor, withTax } from './money.ts';
import type { OrderState } from './order.ts';
import { afterDays, type Interval } from './period.ts';

export interface SubscriptionState {
  readonly _id: string;
  readonly client_id: string;
  plan_id: string;
  status: Subscription['status'];
  /** The price of the present period in minor units, as it was when the period began. */
  amount: number;
  readonly currency: string;
  interval: Interval;
  provider: Subscription['provider'];
  /** Periods count from here: `periods` of them have begun. */
  anchor: Date;
  periods: number;
  period_start: Date;
  period_end: Date;
  trial_ends_at: Date | null;
  cancel_at_period_end: boolean;
  next_plan_id: string | null;
  past_due_since: Date | null;
  /** How often the client was reminded since. */
  reminders: number;
  paused_at: Date | null;
  canceled_at: Date | null;
  /** The end of the period whose renewal the client was told of. */
  renewal_told: Date | null;
  /** When the sites of its client are paused because it has ended; null: never, or that is done. */
  sites_end_at: Date | null;
  /** True once an order was paid. */
  was_paid: boolean;
  /** True if an order of the present period was paid back. */
  is_refunded: boolean;
  /** What is left of a paid period that ended early, in minor units: it counts towards the next orders. */
  credit: number;
  /** When something has to be done; null: never. */
  due_at: Date | null;
  readonly created_at: Date;
}

const project = createProjection(withDates(Subscription));

/** The public record. */
export const toSubscription = (state: SubscriptionState) => project({ ...state, amount: toMajor(state.amount, state.currency) });

/** What a plan costs, in minor units. */
export interface PricedPlan {
  readonly _id: string;
  readonly name: string;
  readonly price: number;
  readonly interval: Interval;
}

/** How the organization charges. */
export interface Terms {
  readonly time_zone: string;
  readonly trial_days: number;
  readonly payment_days: number;
  /** Days from the end of a subscription until the client is suspended; null: it is not. */
  readonly grace_days: number | null;
  /** Days after an order became overdue; the subscription ends on the last one. */
  readonly retry_days: readonly number[];
  readonly tax_rate: number | null;
  readonly tax_included: boolean;
  /** True if the client has a card that is charged for orders. */
  readonly charges_card: boolean;
}

/** An order before it has a number and an invoice, of which `item` is the first line. */
export type NewOrder = Omit<
  OrderState,
  '_id' | 'number' | 'link' | 'invoice' | 'created_at' | 'provider' | 'provider_ref' | 'attempts' | 'is_charging' | 'checkout'
> & {
  readonly item: string;
};

/** What the client is told by mail. */
export type Notice = Events['internal.billing.notice']['notice'];

/** A subscription before its first period, or in its trial. */
export function newSubscription(
  ids: Pick<SubscriptionState, '_id' | 'client_id' | 'currency'>,
  { _id: plan_id, price: amount, interval }: PricedPlan,
  { trial_days }: Terms,
  now: Date,
): SubscriptionState {
  const trialEnd = trial_days === 0 ? null : afterDays(now, trial_days);
  return {
    ...ids,
    ...{ plan_id, amount, interval, provider: 'manual', anchor: now, periods: 0, created_at: now },
    ...{ status: trialEnd === null ? 'incomplete' : 'trialing', trial_ends_at: trialEnd },
    ...{ period_start: now, period_end: trialEnd ?? now, due_at: trialEnd },
    ...{ cancel_at_period_end: false, next_plan_id: null, was_paid: false, is_refunded: false, credit: 0 },
    ...{ past_due_since: null, reminders: 0, paused_at: null, canceled_at: null, sites_end_at: null, renewal_told: null },
  };
}

/** An order of the present period from `start` on, due some days after `now`. */
export function newOrder(
  { _id: subscription_id, client_id, plan_id, currency, period_end }: SubscriptionState,
  { kind, item, price }: { readonly kind: NewOrder['kind']; readonly item: string; readonly price: number },
  { start: period_start, now }: { readonly start: Date; readonly now: Date },
  { tax_rate, tax_included, payment_days, charges_card }: Terms,
): NewOrder {
  return {
    ...{ subscription_id, client_id, plan_id, currency, kind, item, period_start, period_end },
    ...withTax(price, tax_rate, tax_included),
    ...{ status: 'pending', due_at: afterDays(now, payment_days), paid_at: null, refunded_at: null },
    charge_at: charges_card ? now : null,
  };
}

export const earliest = (moments: readonly Date[]): Date => new Date(Math.min(...moments.map((moment) => moment.getTime())));

/** A card is charged on the last day, too, and has a day for it. */
const lastChargeDays = 1;

/** How long before a year ends the client is told that it is renewed. */
const renewalNoticeDays = 14;

/** When the client is told that its year is renewed; null: not, or it was. */
export function renewalNoticeAt(state: SubscriptionState): Date | null {
  const { status, interval, period_end, renewal_told, cancel_at_period_end } = state;
  if (status !== 'active' || interval !== 'yearly' || cancel_at_period_end) return null;
  return renewal_told?.getTime() === period_end.getTime() ? null : afterDays(period_end, -renewalNoticeDays);
}

/** Notes that it is time to tell of the renewal. Nothing is told of a year that ended meanwhile, or of what is free. */
export function tellOfRenewal(state: SubscriptionState, { price }: PricedPlan, now: Date): Notice[] {
  state.renewal_told = state.period_end;
  return now < state.period_end && price > 0 ? ['renewal_ahead'] : [];
}

/** When something has to be done next; null: never. */
export function nextDue(state: SubscriptionState, openOrders: readonly Pick<OrderState, 'due_at'>[], { retry_days }: Terms): Date | null {
  const { status, past_due_since, reminders, period_end, sites_end_at } = state;
  if (status === 'canceled') return sites_end_at;
  if (status === 'paused') return null;
  if (status === 'past_due' && past_due_since !== null) {
    const last = retry_days.at(-1) ?? 0;
    return afterDays(past_due_since, retry_days[reminders] ?? last + lastChargeDays);
  }
  const told = renewalNoticeAt(state);
  return earliest([period_end, ...(told === null ? [] : [told]), ...openOrders.map(({ due_at }) => due_at)]);
}

/** The part of an amount that is for the rest of the present period. */
export function restOf({ period_start, period_end }: SubscriptionState, amount: number, now: Date): number {
  const whole = period_end.getTime() - period_start.getTime();
  return shareOf(amount, Math.min(Math.max(period_end.getTime() - now.getTime(), 0), whole), whole);
}

/** What is left of the period, or of the trial, begins when a paused subscription is resumed. */
export function resumedAt({ trial_ends_at, period_end }: SubscriptionState, pausedAt: Date, now: Date): Partial<SubscriptionState> {
  const isTrial = trial_ends_at !== null && pausedAt < trial_ends_at;
  const end = new Date(period_end.getTime() + now.getTime() - pausedAt.getTime());
  return {
    ...{ status: isTrial ? 'trialing' : 'active', paused_at: null, period_end: end, anchor: end, periods: 0 },
    ...(isTrial && { trial_ends_at: end }),
  };
}
