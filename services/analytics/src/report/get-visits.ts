import { setImmediate } from 'node:timers/promises';
import { onBehalf } from '@webkiln/messages';
import { call, handle, type IncomingReply } from '@webkiln/rpc';
import type { Scope } from '@webkiln/store';
import { type Counts, dimensions } from '../rollups/breakdown.ts';
import { findBrokenDownOrgDays, getClosedDay } from '../rollups/org-day-store.ts';
import { findBrokenDown } from '../rollups/site-day-store.ts';
import type { DayStats } from '../rollups/tally.ts';
import { dayMs, hourMs, startOfDay, toUtcDay } from '../views/view.ts';
import { StaleWhileRevalidate } from './stale-while-revalidate.ts';
import { type VisitsFilter, VisitsTally, whole } from './visits-tally.ts';

type Visits = NonNullable<IncomingReply<'analytics.GetVisits'>['visits']>;

/** Both inclusive. */
interface Range {
  readonly from: string;
  readonly to: string;
}

/** Reads the days of a range. */
type ReadDays = (range: Range) => Promise<readonly DayStats[]>;

const maxDays = 366;
const maxRows = 10;
/** Ingest may run in the same process, and is not to wait for a whole year of breakdowns. */
const daysPerTurn = 8;

/**
 * Returns the visits of a range of UTC days, compared with as many days before, of one project or of all that the
 * caller sees, by filters. Throws `project_not_found` for a project that the caller may not see.
 */
export const getVisits = handle('analytics.GetVisits', async ({ project_id, days, from, to, ...wanted }, caller) => {
  const now = Date.now();
  if (project_id !== undefined) await call('projects.GetProject', { project_id }, onBehalf('analytics', caller));
  const range = rangeOf({ days, from, to }, now);
  const filter = filterOf(wanted);
  const { org_id, user_id } = caller.principal;
  const visits =
    project_id === undefined && user_id === undefined
      ? await organizationVisits.get(org_id, range.from, range.to, JSON.stringify(filter))
      : await sumVisits(range, filter, readSites(caller, project_id), now);
  return { visits };
});

/** The days that the request names, at most 366 and none after today; else the last `days`. */
function rangeOf({ days, from, to }: { days: number; from?: string | undefined; to?: string | undefined }, now: number): Range {
  const today = toUtcDay(now);
  const last = isDay(to) && to < today ? to : today;
  const earliest = toUtcDay(startOfDay(last), 1 - maxDays);
  if (!isDay(from) || from > last) return { from: toUtcDay(startOfDay(last), 1 - days), to: last };
  return { from: from < earliest ? earliest : from, to: last };
}

const isDay = (text: string | undefined): text is string => text !== undefined && /^20\d\d-\d\d-\d\d$/.test(text) && isDate(text);
const isDate = (text: string) => !Number.isNaN(startOfDay(text)) && toUtcDay(startOfDay(text)) === text;

const direct = 'direct';

function filterOf(wanted: Readonly<Record<string, unknown>>): VisitsFilter {
  const named = dimensions.flatMap((dimension) => {
    const name = wanted[dimension];
    return typeof name === 'string' && name !== '' ? [[dimension, dimension === 'referrer' && name === direct ? '' : name]] : [];
  });
  return Object.fromEntries(named);
}

/** The sites of one project, or of all in the scope. */
const readSites =
  (scope: Scope, project_id?: string): ReadDays =>
  ({ from, to }) =>
    findBrokenDown(scope, from, to, project_id);

/** All sites of an organization, by the sums of its closed days. */
const readOrganization =
  (org_id: string, closed: string): ReadDays =>
  async ({ from, to }) => {
    const firstOpen = closed < from ? from : toUtcDay(startOfDay(closed), 1);
    const [past, open] = await Promise.all([
      closed < from ? [] : findBrokenDownOrgDays({ org_id }, from, closed < to ? closed : to),
      firstOpen > to ? [] : findBrokenDown({ org_id }, firstOpen, to),
    ]);
    return [...past, ...open];
  };

const organizationVisits = new StaleWhileRevalidate(async (org_id: string, from: string, to: string, filter: string): Promise<Visits> => {
  const read = readOrganization(org_id, (await getClosedDay()) ?? '');
  return sumVisits({ from, to }, JSON.parse(filter) as VisitsFilter, read, Date.now());
});

async function sumVisits(range: Range, filter: VisitsFilter, read: ReadDays, now: number): Promise<Visits> {
  const before = rangeBefore(range);
  const [tally, earlier] = [await tallyOf(await read(range), filter), await tallyOf(await read(before), filter)];
  const rows = (dimension: (typeof dimensions)[number], by: keyof Counts = 'visitors') => tally.top(dimension, by, maxRows);
  const pages = rows('page', 'views');
  const isOneDay = range.from === range.to;
  return {
    ...range,
    ...whole(tally.sums),
    previous: { ...before, ...whole(isOneDay && range.to === toUtcDay(now) && !tally.isFiltered ? untilNow(earlier, now) : earlier.sums) },
    days: daysOf(range).map((date) => ({ date, ...whole(tally.byDay.get(date) ?? nothing) })),
    hours: isOneDay && !tally.isFiltered ? hoursOf(tally) : [],
    pages,
    entry_pages: rows('page').filter(({ visitors }) => visitors > 0),
    referrers: rows('referrer').map((row) => ({ ...row, name: row.name === '' ? direct : row.name })),
    sources: rows('source'),
    mediums: rows('medium'),
    campaigns: rows('campaign'),
    countries: rows('country'),
    browsers: rows('browser'),
    systems: rows('system'),
    devices: rows('device'),
    unknown: tally.unknown,
  };
}

const nothing: Counts = { views: 0, visitors: 0 };

async function tallyOf(days: readonly DayStats[], filter: VisitsFilter): Promise<VisitsTally> {
  const tally = new VisitsTally(filter);
  for (const [at, stats] of days.entries()) {
    tally.add(stats);
    if (at % daysPerTurn === daysPerTurn - 1) await setImmediate();
  }
  return tally;
}

/** As many days, up to the day before. */
function rangeBefore({ from, to }: Range): Range {
  const days = (startOfDay(to) - startOfDay(from)) / dayMs + 1;
  return { from: toUtcDay(startOfDay(from), -days), to: toUtcDay(startOfDay(from), -1) };
}

/** Today is compared with yesterday up to the same hour, which is not over yet. */
function untilNow({ byHour, sums }: VisitsTally, now: number): Counts {
  if (byHour.size === 0) return sums;
  const hour = Math.floor((now % dayMs) / hourMs);
  const past = [...byHour].filter(([each]) => each <= hour).map(([, counts]) => counts);
  return past.reduce((sum, { views, visitors }) => ({ views: sum.views + views, visitors: sum.visitors + visitors }), nothing);
}

const daysOf = ({ from, to }: Range): string[] => {
  const days = (startOfDay(to) - startOfDay(from)) / dayMs + 1;
  return Array.from({ length: days }, (_, day) => toUtcDay(startOfDay(from), day));
};

const hoursOf = ({ byHour }: VisitsTally): Visits['hours'] =>
  Array.from({ length: dayMs / hourMs }, (_, hour) => ({ hour, ...whole(byHour.get(hour) ?? nothing) }));
