import { minuteMs, startOfDay, toUtcDay } from '../../views/utc-day.ts';
import { deleteRecentMinutes, findDayStats, findFirstDay, findOrganizations } from '../site-day/site-day-store.ts';
import { sumOrgDay } from './org-day.ts';
import { findStaleDays, getClosedDay, markStale, saveOrgDay, setClosedDay } from './org-day-store.ts';

/** By then the views of the previous day are stored, even if a server's clock is slow. */
const graceMs = minuteMs;

/**
 * Recomputes an organization's day from its site-days. Idempotent, and safe to run concurrently: a site-day that
 * changes meanwhile sets a new stale mark, so the sum is recomputed.
 */
export async function closeOrgDay(org_id: string, day: string): Promise<void> {
  const mark = await markStale({ org_id }, [day]);
  await saveOrgDay({ org_id }, sumOrgDay(day, await findDayStats({ org_id }, day, day)), mark);
  await deleteRecentMinutes({ org_id }, day);
}

/** Closes all past days in order, and recomputes days that changed since. `now`: milliseconds since 1970. */
export async function closeDays(now: number): Promise<void> {
  const yesterday = toUtcDay(now - graceMs, -1);
  let closed = (await getClosedDay()) ?? toUtcDay(startOfDay((await findFirstDay()) ?? toUtcDay(now)), -1);
  while (closed < yesterday) {
    closed = toUtcDay(startOfDay(closed), 1);
    for (const org_id of await findOrganizations(closed)) await closeOrgDay(org_id, closed);
    await setClosedDay(closed);
  }
  for (const { org_id, day } of await findStaleDays()) if (day <= closed) await closeOrgDay(org_id, day);
}
