import type { IncomingCaller } from '@webkiln/messages';
import type { Scope } from '@webkiln/store';
import { realtimeMinutes } from '../rollups/site-day/recent-minutes.ts';
import { presenceMinutes } from '../rollups/site-day/recent-visitors.ts';
import { findRecentMinutes } from '../rollups/site-day/site-day-store.ts';
import { minuteMs, toUtcDay } from '../views/utc-day.ts';
import { StaleWhileRevalidate } from './stale-while-revalidate.ts';

/** Views of the last 30 minutes and visitors of the last 5, the current minute included. */
interface Realtime {
  readonly visitors: number;
  readonly views: number;
}

const organizationCache = new StaleWhileRevalidate((org_id: string) => countRealtime({ org_id }));

/** The figures of one project, or of all that the caller may see. For a whole organization they are at most 3 s old. */
export const getRealtime = (caller: IncomingCaller, project_id: string | undefined): Promise<Realtime> =>
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
