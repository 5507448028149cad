import type { DayStats } from '../day-stats.ts';
import { Tally } from '../tally.ts';

/** Pages and referrers that an organization's day keeps by name. */
const maxNames = 100;

/** Sums up an organization's day from its site-days. */
export function sumOrgDay(day: string, siteDays: readonly DayStats[]): DayStats {
  const tally = new Tally();
  for (const stats of siteDays) tally.add(stats);
  const ranked = (kind: 'pages' | 'referrers' | 'devices') => tally.ranking(kind, maxNames);
  return { day, ...tally.sums, pages: ranked('pages'), referrers: ranked('referrers'), devices: ranked('devices') };
}
