import type { IncomingReply } from '@webkiln/rpc';
import type { DayStats } from '../rollups/day-stats.ts';
import { Tally } from '../rollups/tally.ts';
import { startOfDay, toUtcDay } from '../views/utc-day.ts';

const maxRows = 10;

/** The response of GET /analytics, bots included, without the realtime part. */
export type Report = Omit<NonNullable<IncomingReply<'analytics.GetAnalytics'>['analytics']>, 'bots' | 'realtime'> & {
  readonly bots: number;
};

/** Builds the report from site-days or organization-days, with one row per UTC day from first to last. */
export function buildReport(days: readonly DayStats[], from: string, to: string): Report {
  const tally = new Tally();
  for (const each of days) tally.add(each);
  const dailyViews: Report['dailyViews'] = [];
  for (let date = from; date <= to; date = toUtcDay(startOfDay(date), 1)) {
    const { views = 0, uniques = 0 } = tally.byDay.get(date) ?? {};
    dailyViews.push({ date, views, uniqueVisitors: uniques });
  }
  return {
    totalViews: tally.sums.views,
    uniqueVisitors: tally.sums.uniques,
    bots: tally.sums.bots,
    topPages: tally.top('pages', maxRows).map(([path, views]) => ({ path, views })),
    topReferrers: tally.top('referrers', maxRows).map(([host, views]) => ({ referrer: host === '' ? 'direct' : host, views })),
    dailyViews,
    deviceBreakdown: tally.top('devices', maxRows).map(([device, views]) => ({ device, views })),
  };
}
