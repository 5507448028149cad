import type { DayFigures } from './day-figures.ts';
import { Tally } from './tally.ts';

/** So many pages and referrers of an organization's day are kept by name. */
const namesKept = 100;

/** The figures of an organization's day, of those of its sites on that day. */
export function orgDayOf(day: string, siteDays: readonly DayFigures[]): DayFigures {
  const tally = new Tally();
  for (const figures of siteDays) tally.add(figures);
  const ranked = (kind: 'pages' | 'referrers' | 'devices') => tally.ranking(kind, namesKept);
  return { day, ...tally.sums, pages: ranked('pages'), referrers: ranked('referrers'), devices: ranked('devices') };
}
