import type { OrgDay } from './org-day-store.ts';
import type { SiteDayFigures } from './site-day-store.ts';
import { Tally } from './tally.ts';

/** So many pages and referrers of an organization's day are kept by name. */
const namesKept = 100;

/** The figures of an organization's day, of those of its sites on that day. */
export function orgDayOf(day: string, siteDays: readonly SiteDayFigures[]): OrgDay {
  const tally = new Tally();
  for (const figures of siteDays) tally.add(figures);
  const ranked = (kind: 'pages' | 'referrers' | 'devices') => tally.ranking(kind, namesKept);
  return { day, ...tally.sums, pages: ranked('pages'), referrers: ranked('referrers'), devices: ranked('devices') };
}
