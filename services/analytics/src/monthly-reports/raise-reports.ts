import { hash } from 'node:crypto';
import type { MonthlyReport } from '@webkiln/messages';
import type { Tenant } from '@webkiln/store';
import { findOrganizations, findSiteDays, findUsers } from '../rollups/site-day-store.ts';
import { Tally } from '../rollups/tally.ts';
import { dayMs, hourMs, startOfDay, toUtcDay } from '../views/view.ts';
import { countRaised, findReported, raiseReport } from './monthly-report-store.ts';

/** The first day of a month on which reports are raised: then even late views of the last one are counted. */
const firstDay = 2;
/** What an organization could not raise until then, it does not raise any more: nobody wants an old report. */
const lastDay = 14;
/** Organizations begin within this time, each at its own hour. */
const spreadHours = 72;
/**
 * Reports of an organization on a day, so many of its mails are left: at least half of those of a new one, at most half
 * of those of another by default. The rest follows the next day.
 */
export const minReportsPerDay = 10;
const maxReportsPerDay = 100;
/** On so many days every organization may raise reports, also one that begins last. */
const raisingDays = 9;
const maxSites = 10;
const maxPages = 3;

interface Month {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** Raises the reports of the last month that are due at `now`, in milliseconds since 1970. May be repeated. */
export async function raiseReports(now: number): Promise<void> {
  const today = toUtcDay(now);
  const dayOfMonth = Number(today.slice(8));
  if (dayOfMonth < firstDay || dayOfMonth > lastDay) return;
  const month = monthBefore(today);
  const begunMs = now - startOfDay(`${today.slice(0, 8)}0${firstDay}`);
  for (const org_id of await findVisited(month)) {
    if (hourOf(org_id) * hourMs <= begunMs) await raiseOrganization({ org_id }, month, today);
  }
}

/** The organizations that had visits in a month. */
async function findVisited({ from, to }: Month): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const day of daysOf(from, to)) for (const org_id of await findOrganizations(day)) found.add(org_id);
  return found;
}

async function raiseOrganization(scope: Tenant, month: Month, today: string): Promise<void> {
  const users = await findUsers(scope, month.from, month.to);
  const perDay = Math.min(maxReportsPerDay, Math.max(minReportsPerDay, Math.ceil(users.size / raisingDays)));
  let left = perDay - (await countRaised(scope, month.name, today));
  if (left <= 0) return;
  const reported = await findReported(scope, month.name);
  for (const user_id of users) {
    if (reported.has(user_id)) continue;
    if (left-- === 0) return;
    await raiseReport(scope, await reportOf(scope, user_id, month), today);
  }
}

async function reportOf(scope: Tenant, user_id: string, month: Month): Promise<MonthlyReport> {
  const before = monthBefore(month.from);
  const found = await findSiteDays(scope, before.from, month.to, user_id);
  const sites = [...Map.groupBy(found, ({ project_id }) => project_id)].map(([project_id, days]) => {
    const [current, earlier] = [new Tally(), new Tally()];
    for (const stats of days) (stats.day < month.from ? earlier : current).add(stats);
    const { views, uniques: visitors } = current.sums;
    const pages = current.top('pages', maxPages).map(([path]) => path);
    return { project_id, views, visitors, visitors_before: earlier.sums.uniques, pages };
  });
  const visited = sites.filter(({ views }) => views > 0).sort((one, other) => other.views - one.views);
  return { user_id, month: month.name, sites: visited.slice(0, maxSites) };
}

/** The month before that of a day. */
function monthBefore(day: string): Month {
  const to = toUtcDay(startOfDay(`${day.slice(0, 8)}01`), -1);
  return { name: to.slice(0, 7), from: `${to.slice(0, 8)}01`, to };
}

const daysOf = (from: string, to: string): string[] =>
  Array.from({ length: (startOfDay(to) - startOfDay(from)) / dayMs + 1 }, (_, day) => toUtcDay(startOfDay(from), day));

/** The hour of an organization, the same in each month. */
const hourOf = (org_id: string): number => hash('sha256', org_id, 'buffer').readUInt16BE(0) % spreadHours;
