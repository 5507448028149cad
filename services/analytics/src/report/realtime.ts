import type { Scope } from '@webkiln/store';
import { keptMinutes } from '../rollups/recent-minutes.ts';
import { windowMinutes } from '../rollups/recent-visitors.ts';
import { recentMinutes } from '../rollups/site-day-store.ts';
import { dayOf, minuteMs } from '../rollups/utc-day.ts';

/** Views of the last 30 minutes, and visitors of the last 5; the current minute counts as one. */
export async function realtimeOf(scope: Scope, now: number, project_id?: string): Promise<{ visitors: number; views: number }> {
  const minute = Math.floor(now / minuteMs);
  const sums = { visitors: 0, views: 0 };
  for (const [at, views, visitors] of await recentMinutes(scope, dayOf(now - keptMinutes * minuteMs), project_id)) {
    if (at > minute - keptMinutes) sums.views += views;
    if (at > minute - windowMinutes) sums.visitors += visitors;
  }
  return sums;
}
