import { call, handle, type IncomingCaller } from '@webkiln/rpc';
import { figuresOfDays } from '../rollups/site-day-store.ts';
import { dayOf } from '../rollups/utc-day.ts';
import { reportOfOrganization } from './organization-report.ts';
import { realtimeOf } from './realtime.ts';
import { type Report, reportOf } from './report.ts';

/**
 * The figures of the last `days` UTC days, today included, of a project or of all; to a client's user all are his own. A project that is not the
 * caller's is `project_not_found`.
 */
export const getAnalytics = handle('analytics.GetAnalytics', async ({ days, project_id, include = '' }, caller) => {
  const now = Date.now();
  const [from, today] = [dayOf(now, 1 - days), dayOf(now)];
  const asked = new Set(include.split(',').map((name) => name.trim()));
  if (project_id !== undefined) await call('projects.GetProject', { project_id }, caller);
  const { org_id, user_id } = caller.principal;
  const [report, realtime] = await Promise.all([
    project_id === undefined && user_id === undefined
      ? reportOfOrganization(org_id, from, today)
      : reportOfSites(caller, from, today, project_id),
    asked.has('realtime') ? realtimeOf(caller, project_id) : null,
  ]);
  return { analytics: { ...report, bots: asked.has('bots') ? report.bots : null, realtime } };
});

/** Of one project, or of all that the caller sees. */
const reportOfSites = async (caller: IncomingCaller, from: string, today: string, project_id?: string): Promise<Report> =>
  reportOf(await figuresOfDays(caller, from, today, project_id), from, today);
