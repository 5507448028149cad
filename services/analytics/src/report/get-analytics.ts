import { type IncomingCaller, onBehalf } from '@webkiln/messages';
import { call, handle, type IncomingReply } from '@webkiln/rpc';
import type { Scope } from '@webkiln/store';
import { findOrgDays, getClosedDay, sumOrgDay } from '../rollups/org-day-store.ts';
import { presenceMinutes } from '../rollups/recent-visitors.ts';
import { realtimeMinutes } from '../rollups/site-day.ts';
import { findDayStats, findRecentMinutes } from '../rollups/site-day-store.ts';
import { type DayStats, Tally } from '../rollups/tally.ts';
import { minuteMs, startOfDay, toUtcDay } from '../views/view.ts';
import { StaleWhileRevalidate } from './stale-while-revalidate.ts';

/**
 * Returns the statistics of the last `days` UTC days, today included, of one project or of all that the caller sees.
 * A client's user sees only their own projects. Throws `project_not_found` for a project that the caller may not see.
 */
export const getAnalytics = handle('analytics.GetAnalytics', async ({ days, project_id, include = '' }, caller) => {
  const now = Date.now();
  const [from, today] = [toUtcDay(now, 1 - days), toUtcDay(now)];
  const included = new Set(include.split(',').map((name) => name.trim()));
  if (project_id !== undefined) await call('projects.GetProject', { project_id }, onBehalf('analytics', caller));
  const { org_id, user_id } = caller.principal;
  const [report, realtime] = await Promise.all([
    project_id === undefined && user_id === undefined
      ? getOrganizationReport(org_id, from, today)
      : getSitesReport(caller, from, today, project_id),
    included.has('realtime') ? getRealtime(caller, project_id) : null,
  ]);
  return { analytics: { ...report, bots: included.has('bots') ? report.bots : null, realtime } };
});

/** The statistics of one project, or of all that the caller may see. */
const getSitesReport = async (caller: IncomingCaller, from: string, today: string, project_id?: string): Promise<Report> =>
  buildReport(await findDayStats(caller, from, today, project_id), from, today);

const maxRows = 10;

/** The response of GET /analytics, bots included, without the realtime part. */
type Report = Omit<NonNullable<IncomingReply<'analytics.GetAnalytics'>['analytics']>, 'bots' | 'realtime'> & {
  readonly bots: number;
};

/** Builds the report from site-days or organization-days, with one row per UTC day from first to last. */
function buildReport(days: readonly DayStats[], from: string, to: string): Report {
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

// Caches reports, not their source: a year of an organization is megabytes of names in the store, but a few kilobytes
// as a report.
const cache = new StaleWhileRevalidate(async (org_id: string, from: string, today: string, closedDay: string): Promise<Report> => {
  const noneClosed = closedDay < from;
  const [past, present] = await Promise.all([
    noneClosed ? [] : findOrgDays({ org_id }, from, closedDay),
    sumOpenDays(org_id, noneClosed ? from : toUtcDay(startOfDay(closedDay), 1), today),
  ]);
  return buildReport([...past, ...present], from, today);
});

/** Sums up the sites' statistics of days that are not closed yet, usually only today. */
async function sumOpenDays(org_id: string, from: string, to: string): Promise<DayStats[]> {
  const byDay = Map.groupBy(await findDayStats({ org_id }, from, to), ({ day }) => day);
  return [...byDay].map(([day, siteDays]) => sumOrgDay(day, siteDays));
}

/** Returns the report on all sites of an organization from one UTC day to another, at most 3 s old. */
const getOrganizationReport = async (org_id: string, from: string, today: string): Promise<Report> =>
  cache.get(org_id, from, today, (await getClosedDay()) ?? '');

/** Views of the last 30 minutes and visitors of the last 5, the current minute included. */
interface Realtime {
  readonly visitors: number;
  readonly views: number;
}

const organizationCache = new StaleWhileRevalidate((org_id: string) => countRealtime({ org_id }));

/** The figures of one project, or of all that the caller may see. For a whole organization they are at most 3 s old. */
const getRealtime = (caller: IncomingCaller, project_id: string | undefined): Promise<Realtime> =>
  project_id === undefined && caller.principal.user_id === undefined
    ? organizationCache.get(caller.principal.org_id)
    : countRealtime(caller, project_id);

async function countRealtime(scope: Scope, project_id?: string): Promise<Realtime> {
  const now = Date.now();
  const minute = Math.floor(now / minuteMs);
  const sums = { visitors: 0, views: 0 };
  for (const [at, views, visitors] of await findRecentMinutes(scope, toUtcDay(now - realtimeMinutes * minuteMs), project_id)) {
    if (at > minute - realtimeMinutes) sums.views += views;
    if (at > minute - presenceMinutes) sums.visitors += visitors;
  }
  return sums;
}
