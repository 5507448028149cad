import type { KeyUsage, Usage } from '@webkiln/contract';
import type { UsageState } from './usage-store.ts';

type Figures = Pick<UsageState, 'requests' | 'client_errors' | 'server_errors'>;
type Counted = Figures & Pick<UsageState, 'key_id' | 'day'>;

const dayMs = 24 * 3600_000;
const noRequests = (): Figures => ({ requests: 0, client_errors: 0, server_errors: 0 });

/** The UTC day of a time, "2026-03-01". */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The first of the last `days` UTC days, including today. */
export const firstDay = (now: number, days: number): string => dayOf(now - (days - 1) * dayMs);

/**
 * Sums the counts in total, by key and by day, including days without requests. Keys missing from `keys` have no name.
 */
export function usageOf(
  counted: readonly Counted[],
  first: string,
  days: number,
  keys: ReadonlyMap<string, { readonly name: string; readonly prefix: string }>,
): Usage {
  const total = noRequests();
  const byDay = new Map(Array.from({ length: days }, (_, index) => [dayOf(Date.parse(first) + index * dayMs), noRequests()]));
  const byKey = new Map<string | null, Figures & { last_used_on: string }>();
  for (const row of counted) {
    const date = row.day.toISOString().slice(0, 10);
    const ofKey = byKey.get(row.key_id) ?? { ...noRequests(), last_used_on: date };
    if (date > ofKey.last_used_on) ofKey.last_used_on = date;
    byKey.set(row.key_id, ofKey);
    for (const figures of [total, ofKey, byDay.get(date)]) if (figures !== undefined) add(figures, row);
  }
  return {
    ...total,
    keys: [...byKey].map(([key_id, figures]) => named(key_id, figures, keys)).sort((one, other) => other.requests - one.requests),
    days: [...byDay].map(([date, figures]) => ({ date, ...figures })),
  };
}

function named(key_id: string | null, figures: Figures & { last_used_on: string }, keys: Parameters<typeof usageOf>[3]): KeyUsage {
  const { name = null, prefix = null } = keys.get(key_id ?? '') ?? {};
  return { key_id, name, prefix, ...figures };
}

function add(to: Figures, { requests, client_errors, server_errors }: Figures): void {
  to.requests += requests;
  to.client_errors += client_errors;
  to.server_errors += server_errors;
}
