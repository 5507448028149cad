import type { IncomingReply } from '@webkiln/rpc';
import type { DayFigures } from '../rollups/day-figures.ts';
import { Tally } from '../rollups/tally.ts';
import { dayOf, startOf } from '../rollups/utc-day.ts';

const rowsMost = 10;

/** What GET /analytics shows, bots with it; without what happens right now. */
export type Report = Omit<NonNullable<IncomingReply<'analytics.GetAnalytics'>['analytics']>, 'bots' | 'realtime'> & {
  readonly bots: number;
};

/** The report on figures of sites' or organizations' days, with a row for each UTC day from the first to the last. */
export function reportOf(figures: readonly DayFigures[], from: string, to: string): Report {
  const tally = new Tally();
  for (const each of figures) tally.add(each);
  const dailyViews: Report['dailyViews'] = [];
  for (let date = from; date <= to; date = dayOf(startOf(date), 1)) {
    const { views = 0, uniques = 0 } = tally.byDay.get(date) ?? {};
    dailyViews.push({ date, views, uniqueVisitors: uniques });
  }
  return {
    totalViews: tally.sums.views,
    uniqueVisitors: tally.sums.uniques,
    bots: tally.sums.bots,
    topPages: tally.top('pages', rowsMost).map(([path, views]) => ({ path, views })),
    topReferrers: tally.top('referrers', rowsMost).map(([host, views]) => ({ referrer: host === '' ? 'direct' : host, views })),
    dailyViews,
    deviceBreakdown: tally.top('devices', rowsMost).map(([device, views]) => ({ device, views })),
  };
}
