import { randomUUID } from 'node:crypto';
import {
  acrossOrganizations,
  defineGlobalModel,
  defineModel,
  type Owner,
  type Scope,
  scoped,
  type Tenant,
  unscoped,
  where,
} from '@webkiln/store';
import { minuteMs, startOfDay, toUtcDay } from '../views/view.ts';
import { Breakdown } from './breakdown.ts';
import { deleteRecentMinutes, findBrokenDown, findFirstDay, findOrganizations } from './site-day-store.ts';
import { brokenDownFields, type DayStats, dayStatsFields, noRanking, Tally } from './tally.ts';

/** An organization's statistics of a past day. `_id` is "<org_id>/<day>". */
interface OrgDayState extends DayStats {
  /** Set when a site-day of this day changes. `saveOrgDay` removes only the mark that it started with. */
  stale?: string;
}

const count = { type: Number, default: 0 };
const ranking = { type: String, default: noRanking };

const OrgDayModel = defineModel<OrgDayState>(
  'org_days',
  {
    day: { type: String, required: true },
    views: count,
    bots: count,
    uniques: count,
    pages: ranking,
    referrers: ranking,
    devices: ranking,
    breakdown: String,
    stale: String,
  },
  {
    exportedAs: null,
    indexes: [[{ org_id: 1, day: 1 }]],
    indexesAcross: [[{ stale: 1, org_id: 1 }, { partialFilterExpression: { stale: { $gt: '' } } }]],
  },
);

/** The last day that is closed for every organization. Platform-wide, not tenant data. */
const ClosedModel = defineGlobalModel<{ day: string }>('closed_days', { day: { type: String, required: true } });
const closedId = 'org_days';

const toId = ({ org_id }: { org_id: string }, day: string) => `${org_id}/${day}`;
const emptyStats = { views: 0, bots: 0, uniques: 0, pages: noRanking, referrers: noRanking, devices: noRanking };

/** Marks days for recomputation; returns the mark. */
export async function markStale(scope: Tenant, days: readonly string[]): Promise<string> {
  const stale = randomUUID();
  // Sequentially: the scope may be a transaction's.
  for (const day of days) {
    const update = { $set: { stale }, $setOnInsert: { day, ...emptyStats } };
    await scoped(OrgDayModel, scope).updateOne({ _id: toId(scope, day) }, update, { upsert: true });
  }
  return stale;
}

/** Saves the sums of a day, unless a newer mark was set since their computation began. */
export async function saveOrgDay(scope: Tenant, stats: DayStats, stale: string): Promise<void> {
  const filter = { _id: toId(scope, stats.day), stale };
  await scoped(OrgDayModel, scope).updateOne(filter, { $set: stats, $unset: { stale: true } });
}

/** Finds the days to recompute, each with its organization. */
export const findStaleDays = async (): Promise<{ org_id: string; day: string }[]> => {
  const found: Owner[] = await acrossOrganizations(OrgDayModel).owners('_id', 'stale', { stale: where<string | undefined>({ $gt: '' }) });
  return found.map(({ org_id, key }) => ({ org_id, day: key.slice(org_id.length + 1) }));
};

export const findOrgDays = (scope: Scope, from: string, to: string) =>
  scoped(OrgDayModel, scope).find({ day: where({ $gte: from, $lte: to }) }, { fields: dayStatsFields });

/** The same, with their breakdowns. */
export const findBrokenDownOrgDays = (scope: Scope, from: string, to: string) =>
  scoped(OrgDayModel, scope).find({ day: where({ $gte: from, $lte: to }) }, { fields: brokenDownFields });

/** Returns the last day that is closed for every organization, null before the first. */
export const getClosedDay = async (): Promise<string | null> => (await unscoped(ClosedModel).findOne({ _id: closedId }))?.day ?? null;

const setClosedDay = async (day: string): Promise<void> =>
  void (await unscoped(ClosedModel).updateOne({ _id: closedId }, { $set: { day } }, { upsert: true }));

/** Pages and referrers that an organization's day keeps by name. */
const maxNames = 100;

/** Sums up an organization's day from its site-days. */
export function sumOrgDay(day: string, siteDays: readonly DayStats[]): DayStats {
  const tally = new Tally();
  for (const stats of siteDays) tally.add(stats);
  const ranked = (kind: 'pages' | 'referrers' | 'devices') => tally.ranking(kind, maxNames);
  return { day, ...tally.sums, pages: ranked('pages'), referrers: ranked('referrers'), devices: ranked('devices') };
}

/** The breakdowns of an organization's sites together; those of its busiest sites have their places first. */
function breakdownOf(siteDays: readonly DayStats[]): Pick<DayStats, 'breakdown'> {
  const sum = new Breakdown();
  const counted = siteDays.toSorted((one, other) => other.views - one.views).flatMap(({ breakdown }) => breakdown ?? []);
  for (const each of counted) sum.merge(each);
  return counted.length === 0 ? {} : { breakdown: sum.stored };
}

/** By then the views of the previous day are stored, even if a server's clock is slow. */
const graceMs = minuteMs;

/**
 * Recomputes an organization's day from its site-days. Idempotent, and safe to run concurrently: a site-day that
 * changes meanwhile sets a new stale mark, so the sum is recomputed.
 */
export async function closeOrgDay(org_id: string, day: string): Promise<void> {
  const mark = await markStale({ org_id }, [day]);
  const siteDays = await findBrokenDown({ org_id }, day, day);
  await saveOrgDay({ org_id }, { ...sumOrgDay(day, siteDays), ...breakdownOf(siteDays) }, mark);
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
