import type { Revenue } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { batchedAll, defineModel, type Scope, scoped, type Tenant, where } from '@webkiln/store';
import { monthlyPrice } from '../plans/plan.ts';
import { PlanModel } from '../plans/plan-store.ts';
import { defaultSettings, OrderModel, SubscriptionModel, storedAccount } from './billing-store.ts';
import { clock } from './clock.ts';
import { toMajor } from './rules/money.ts';
import { lastMonths, monthOf } from './rules/period.ts';

/** What happened in a month. Sums are in minor units. */
interface RevenueMonth {
  month: string;
  paid: number;
  refunded: number;
  opened: number;
  /** Subscriptions that were paid for the first time. */
  started: number;
  /** Subscriptions that ended after that. */
  canceled: number;
}

const count = { type: Number, default: 0 };

/** Counted in the transactions that change orders and subscriptions, so that a report reads a record a month. */
const RevenueMonthModel = defineModel<RevenueMonth>(
  'revenue_months',
  { month: { type: String, required: true }, paid: count, refunded: count, opened: count, started: count, canceled: count },
  { exportedAs: null, indexes: [[{ org_id: 1, month: 1 }]] },
);

export type Happened = Partial<Omit<RevenueMonth, 'month'>>;

/** Adds to the figures of the month of `now`. Only in a transaction. */
export async function countInMonth(tenant: Tenant, timeZone: string, now: Date, happened: Happened): Promise<void> {
  if (Object.values(happened).every((value) => !value)) return;
  const month = monthOf(now, timeZone);
  const _id = `${tenant.org_id}:${month}`;
  await scoped(RevenueMonthModel, tenant).updateOne({ _id }, { $inc: happened, $setOnInsert: { month } }, { upsert: true });
}

/** What a subscription brings in a month, in minor units. */
const monthly = ({ amount, interval }: { readonly amount: number; readonly interval: string }) => monthlyPrice({ price: amount, interval });

const sumOf = <T>(items: readonly T[], value: (item: T) => number): number => items.reduce((sum, item) => sum + value(item), 0);

/** Subscriptions that go on and were paid once. The quota of clients bounds them. */
const payingSubscriptions = (scope: Scope) =>
  scoped(SubscriptionModel, scope).find(
    { was_paid: true, live_client_id: where<string | null>({ $gt: '' }) },
    { fields: ['plan_id', 'amount', 'interval'] },
  );

const overdueOrders = (scope: Scope, now: Date) =>
  scoped(OrderModel, scope).find(
    { status: where({ $in: ['pending', 'failed'] as const }), due_at: where({ $lte: now }) },
    { fields: ['client_id', 'amount'] },
  );

const plansOf = batchedAll(PlanModel, ['name']);

type Months = readonly Pick<RevenueMonth, keyof RevenueMonth>[];

/** The months, oldest first, with the share of those paying at the beginning of each that ended in it. */
function reported(months: Months, payingNow: number, major: (minor: number) => number): Revenue['months'] {
  let paying = payingNow;
  return months
    .toReversed()
    .map(({ month, paid, refunded, opened, started, canceled }) => {
      paying += canceled - started;
      const churn = paying <= 0 ? 0 : Math.min(canceled / paying, 1);
      return { month, paid: major(paid), refunded: major(refunded), opened, canceled, churn };
    })
    .toReversed();
}

const getRevenue = handle('billing.GetRevenue', async ({ months: wanted }, caller) => {
  const now = clock.now();
  const { currency, time_zone } = (await storedAccount({ org_id: caller.principal.org_id })) ?? defaultSettings;
  const names = lastMonths(now, wanted, time_zone);
  const [paying, overdue, plans, stored] = await Promise.all([
    payingSubscriptions(caller),
    overdueOrders(caller, now),
    plansOf(caller),
    scoped(RevenueMonthModel, caller).find({ month: where({ $gte: names[0] ?? '' }) }),
  ]);
  const major = (minor: number) => toMajor(Math.round(minor), currency);
  const byMonth = new Map(stored.map((month) => [month.month, month]));
  const nothing = { paid: 0, refunded: 0, opened: 0, started: 0, canceled: 0 };
  const byPlan = Map.groupBy(paying, ({ plan_id }) => plan_id);
  const ofPlans = [...byPlan].map(([plan_id, own]) => ({ plan_id, mrr: sumOf(own, monthly), subscriptions: own.length }));
  const name = new Map(plans.map((plan) => [plan._id, plan.name]));
  const revenue: Revenue = {
    currency,
    mrr: major(sumOf(paying, monthly)),
    subscriptions: paying.length,
    past_due: major(sumOf(overdue, ({ amount }) => amount)),
    past_due_clients: new Set(overdue.map(({ client_id }) => client_id)).size,
    months: reported(
      names.map((month) => byMonth.get(month) ?? { month, ...nothing }),
      paying.length,
      major,
    ),
    plans: ofPlans.toSorted((a, b) => b.mrr - a.mrr).map((plan) => ({ ...plan, name: name.get(plan.plan_id) ?? '', mrr: major(plan.mrr) })),
  };
  return { revenue };
});

export const revenueUseCases = [getRevenue];
