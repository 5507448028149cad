import type { IncomingCaller } from '@webkiln/rpc';
import type { Scope } from '@webkiln/store';
import { keptMinutes } from '../rollups/recent-minutes.ts';
import { windowMinutes } from '../rollups/recent-visitors.ts';
import { recentMinutes } from '../rollups/site-day-store.ts';
import { dayOf, minuteMs } from '../rollups/utc-day.ts';
import { StaleWhileRevalidate } from './stale-while-revalidate.ts';

/** Views of the last 30 minutes, and visitors of the last 5; the current minute counts as one. */
interface Realtime {
  readonly visitors: number;
  readonly views: number;
}

const ofOrganization = new StaleWhileRevalidate((org_id: string) => realtime({ org_id }));

/** Of a project, or of all that the caller sees; those of a whole organization are at most 3 s old. */
export const realtimeOf = (caller: IncomingCaller, project_id: string | undefined): Promise<Realtime> =>
  project_id === undefined && caller.principal.user_id === undefined
    ? ofOrganization.get(caller.principal.org_id)
    : realtime(caller, project_id);

async function realtime(scope: Scope, project_id?: string): Promise<Realtime> {
  const now = Date.now();
  const minute = Math.floor(now / minuteMs);
  const sums = { visitors: 0, views: 0 };
  for (const [at, views, visitors] of await recentMinutes(scope, dayOf(now - keptMinutes * minuteMs), project_id)) {
    if (at > minute - keptMinutes) sums.views += views;
    if (at > minute - windowMinutes) sums.visitors += visitors;
  }
  return sums;
}
