import { call, handle, type IncomingCaller, type IncomingReply } from '@webkiln/rpc';
import { closedDay, type OrgDay, orgDays } from '../rollups/org-day-store.ts';
import { figuresOfDays } from '../rollups/site-day-store.ts';
import { Tally } from '../rollups/tally.ts';
import { dayOf, startOf } from '../rollups/utc-day.ts';
import { openDays } from './open-days.ts';
import { realtimeOfOrganization, realtimeOfProject } from './realtime.ts';

const rowsMost = 10;
type Figures = NonNullable<IncomingReply<'analytics.GetAnalytics'>['analytics']>;

/** The figures of the last `days` UTC days, today included, of a project or of all. A project that is not the caller's is `project_not_found`. */
export const getAnalytics = handle('analytics.GetAnalytics', async ({ days, project_id, include = '' }, caller) => {
  const now = Date.now();
  const [from, today] = [dayOf(now, 1 - days), dayOf(now)];
  const asked = new Set(include.split(',').map((name) => name.trim()));
  if (project_id !== undefined) await call('projects.GetProject', { project_id }, caller);
  const realtimeOf = () =>
    project_id === undefined ? realtimeOfOrganization(caller.principal.org_id) : realtimeOfProject(caller, project_id);
  const [tally, realtime] = await Promise.all([
    project_id === undefined ? ofOrganization(caller, from, today) : ofProject(caller, from, today, project_id),
    asked.has('realtime') ? realtimeOf() : null,
  ]);
  return { analytics: { ...shown(tally, from, days), bots: asked.has('bots') ? tally.sums.bots : null, realtime } };
});

async function ofProject(caller: IncomingCaller, from: string, today: string, project_id: string): Promise<Tally> {
  return tallied(await figuresOfDays(caller, from, today, project_id));
}

/** Days that are closed are one record each; of the others, as a rule today alone, those of all sites are summed up. */
async function ofOrganization(caller: IncomingCaller, from: string, today: string): Promise<Tally> {
  const closed = await closedDay();
  const isOpen = closed === null || closed < from;
  const [past, present] = await Promise.all([
    isOpen ? [] : orgDays(caller, from, closed),
    openDays(caller.principal.org_id, isOpen ? from : dayOf(startOf(closed), 1), today),
  ]);
  return tallied([...past, ...present]);
}

function tallied(days: readonly OrgDay[]): Tally {
  const tally = new Tally();
  for (const figures of days) tally.add(figures);
  return tally;
}

function shown(tally: Tally, from: string, days: number): Omit<Figures, 'bots' | 'realtime'> {
  const dailyViews = Array.from({ length: days }, (_, index) => {
    const date = dayOf(startOf(from), index);
    const { views = 0, uniques = 0 } = tally.byDay.get(date) ?? {};
    return { date, views, uniqueVisitors: uniques };
  });
  return {
    totalViews: tally.sums.views,
    uniqueVisitors: tally.sums.uniques,
    topPages: tally.top('pages', rowsMost).map(([path, views]) => ({ path, views })),
    topReferrers: tally.top('referrers', rowsMost).map(([host, views]) => ({ referrer: host === '' ? 'direct' : host, views })),
    dailyViews,
    deviceBreakdown: tally.top('devices', rowsMost).map(([device, views]) => ({ device, views })),
  };
}
