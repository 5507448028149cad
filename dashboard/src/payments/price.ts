import type { PaymentSettings, Subscription } from '../api/payments.ts';
import type { Plan } from '../api/records.ts';
import { formatMoney } from '../components/content/money.ts';
import { texts } from '../texts.ts';

const t = texts.subscription;

/** "$29.00 / month", which no line break divides. */
export const priceText = (amount: number, currency: string, interval: Plan['interval']): string =>
  `${formatMoney(amount, currency)} ${texts.plans.per[interval]}`.replaceAll(' ', '\u00a0');

/** Says what a change of plan charges, as the API's description of it has it. Sums are as of this moment. */
export function changeCost(
  { status, amount, currency, interval, period_start, period_end }: Subscription,
  plan: Plan,
  isNow: boolean,
  dayText: (at: string) => string,
): string {
  const price = priceText(plan.price, currency, plan.interval);
  const end = dayText(period_end);
  if (status === 'trialing') return t.costs.trial({ price, day: end });
  if (!isNow) return t.costs.renewal({ price, day: end });
  if (status === 'incomplete') return t.costs.replaced({ price });
  if (status === 'paused') return t.costs.paused({ price });
  if (plan.interval === 'yearly' && interval === 'monthly') return t.costs.toYearly({ price });
  if (plan.interval === 'monthly' && interval === 'yearly') return t.costs.toMonthly({ price, day: end });
  const more = plan.price - amount;
  if (more <= 0) return t.costs.renewal({ price, day: end });
  const whole = Date.parse(period_end) - Date.parse(period_start);
  const left = Math.min(Math.max(Date.parse(period_end) - Date.now(), 0), whole);
  return t.costs.upgrade({ sum: formatMoney((more * left) / whole, currency), price, day: end });
}

/** True if tax comes on top of prices. */
export const addsTax = (settings: PaymentSettings | undefined): boolean =>
  settings !== undefined && settings.tax_rate !== null && !settings.tax_included;
