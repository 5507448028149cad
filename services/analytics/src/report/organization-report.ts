import type { DayFigures } from '../rollups/day-figures.ts';
import { orgDayOf } from '../rollups/org-day.ts';
import { closedDay, orgDays } from '../rollups/org-day-store.ts';
import { figuresOfDays } from '../rollups/site-day-store.ts';
import { dayOf, startOf } from '../rollups/utc-day.ts';
import { type Report, reportOf } from './report.ts';
import { StaleWhileRevalidate } from './stale-while-revalidate.ts';

// A year of an organization is megabytes of names in the store, and a few kilobytes as it is shown: so it is the report that is kept.
const kept = new StaleWhileRevalidate(async (org_id: string, from: string, today: string, closed: string): Promise<Report> => {
  const isOpen = closed < from;
  const [past, present] = await Promise.all([
    isOpen ? [] : orgDays({ org_id }, from, closed),
    openDays(org_id, isOpen ? from : dayOf(startOf(closed), 1), today),
  ]);
  return reportOf([...past, ...present], from, today);
});

/** Of days that are not closed, as a rule today alone, the figures of all sites are summed up. */
async function openDays(org_id: string, from: string, to: string): Promise<DayFigures[]> {
  const byDay = Map.groupBy(await figuresOfDays({ org_id }, from, to), ({ day }) => day);
  return [...byDay].map(([day, siteDays]) => orgDayOf(day, siteDays));
}

/** The figures of all sites of an organization from one UTC day to another; at most 3 s old. */
export const reportOfOrganization = async (org_id: string, from: string, today: string): Promise<Report> =>
  kept.get(org_id, from, today, (await closedDay()) ?? '');
