import { orgDayOf } from '../rollups/org-day.ts';
import type { OrgDay } from '../rollups/org-day-store.ts';
import { figuresOfDays } from '../rollups/site-day-store.ts';
import { StaleWhileRevalidate } from './stale-while-revalidate.ts';

const kept = new StaleWhileRevalidate(async (org_id: string, from: string, to: string): Promise<OrgDay[]> => {
  const byDay = Map.groupBy(await figuresOfDays({ org_id }, from, to), ({ day }) => day);
  return [...byDay].map(([day, siteDays]) => orgDayOf(day, siteDays));
});

/** The figures of an organization's days that are not closed, of those of all its sites; at most 3 s old. */
export const openDays = (org_id: string, from: string, to: string): Promise<readonly OrgDay[]> => kept.get(org_id, from, to);
