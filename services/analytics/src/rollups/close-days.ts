import { orgDayOf } from './org-day.ts';
import { closedDay, keepOrgDay, markStale, setClosedDay, staleDays } from './org-day-store.ts';
import { dropRecentMinutes, figuresOfDays, firstDay, organizationsOf } from './site-day-store.ts';
import { dayOf, minuteMs, startOf } from './utc-day.ts';

/** What was written before midnight, by however slow a clock, stands in the store by then. */
const graceMs = minuteMs;

/**
 * Makes an organization's figures of a day that is over of those of its sites, whole: any number of times, by whomever. Who changes a
 * site-day afterwards, or meanwhile, sets a mark after that, so that figures never stay behind.
 */
export async function closeOrgDay(org_id: string, day: string): Promise<void> {
  const mark = await markStale({ org_id }, [day]);
  await keepOrgDay({ org_id }, orgDayOf(day, await figuresOfDays({ org_id }, day, day)), mark);
  await dropRecentMinutes({ org_id }, day);
}

/** Closes every day that is over for all organizations, in order, and makes anew what was changed since. `now`: milliseconds since 1970. */
export async function closeDays(now: number): Promise<void> {
  const yesterday = dayOf(now - graceMs, -1);
  let closed = (await closedDay()) ?? dayOf(startOf((await firstDay()) ?? dayOf(now)), -1);
  while (closed < yesterday) {
    closed = dayOf(startOf(closed), 1);
    for (const org_id of await organizationsOf(closed)) await closeOrgDay(org_id, closed);
    await setClosedDay(closed);
  }
  for (const { org_id, day } of await staleDays()) if (day <= closed) await closeOrgDay(org_id, day);
}
