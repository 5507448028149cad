import { type IncomingCaller, onBehalf } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { findDayStats } from '../rollups/site-day/site-day-store.ts';
import { toUtcDay } from '../views/utc-day.ts';
import { getOrganizationReport } from './organization-report.ts';
import { getRealtime } from './realtime.ts';
import { buildReport, type Report } from './report.ts';

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
