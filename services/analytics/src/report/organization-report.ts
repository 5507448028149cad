import type { DayStats } from '../rollups/day-stats.ts';
import { sumOrgDay } from '../rollups/org-day/org-day.ts';
import { findOrgDays, getClosedDay } from '../rollups/org-day/org-day-store.ts';
import { findDayStats } from '../rollups/site-day/site-day-store.ts';
import { startOfDay, toUtcDay } from '../views/utc-day.ts';
import { buildReport, type Report } from './report.ts';
import { StaleWhileRevalidate } from './stale-while-revalidate.ts';

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
export const getOrganizationReport = async (org_id: string, from: string, today: string): Promise<Report> =>
  cache.get(org_id, from, today, (await getClosedDay()) ?? '');
