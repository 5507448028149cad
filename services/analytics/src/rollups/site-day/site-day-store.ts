import { acrossOrganizations, defineModel, type GuardedWrite, gatheredById, type Scope, scoped, where, writeGuarded } from '@webkiln/store';
import { type DayFigures, dayFigures } from './day-figures.ts';
import type { StoredVisitors } from './visitor-set.ts';

/** A minute of the day's last half hour, in minutes since 1970; `visitors`: those who were seen last in it. */
export type RecentMinute = readonly [minute: number, views: number, visitors: number];

/** The figures of one site on one UTC day. `_id` is "<project_id>/<day>". */
export interface SiteDayState extends DayFigures {
  project_id: string;
  /** Whose the project is. */
  user_id: string;
  /** Every view on the stream up to this position is in the figures, and none behind it. */
  applied: number;
  /** By minute modulo 30; gone when the day is closed. */
  recent?: Readonly<Record<string, RecentMinute>>;
}

/** The visitors of a site-day: what tells new ones from known ones while the day goes on. */
export interface VisitorsState extends StoredVisitors {
  applied: number;
  expire_at: Date;
}

const required = { type: Number, required: true };
const ranking = { type: String, required: true };

export const SiteDayModel = defineModel<SiteDayState>(
  'site_days',
  {
    project_id: { type: String, required: true },
    user_id: { type: String, required: true },
    day: { type: String, required: true },
    applied: required,
    views: required,
    bots: required,
    uniques: required,
    pages: ranking,
    referrers: ranking,
    devices: ranking,
    recent: Object,
  },
  {
    ownedBy: 'user_id',
    indexes: [[{ org_id: 1, day: 1 }], [{ org_id: 1, user_id: 1, day: 1 }], [{ org_id: 1, project_id: 1, day: 1 }]],
    indexesAcross: [[{ day: 1, org_id: 1 }]],
  },
);

export const VisitorsModel = defineModel<VisitorsState>(
  'site_day_visitors',
  { applied: required, seen: { type: [String], default: undefined }, registers: Object, expire_at: { type: Date, required: true } },
  { indexesAcross: [[{ expire_at: 1 }, { expireAfterSeconds: 0 }]] },
);

export const siteDayById = gatheredById(SiteDayModel);
const visitorsOf = gatheredById(VisitorsModel);

/** The visitors of a site-day as `VisitorSet` takes them, and up to where they are in it; null where nobody is known. */
export async function visitorsById(scope: Scope, _id: string): Promise<(StoredVisitors & { applied: number }) | null> {
  const found = await visitorsOf(scope, _id);
  if (found?.registers === undefined) return found;
  // Bytes come back in the driver's wrapper.
  const pieces = Object.entries(found.registers as unknown as Readonly<Record<string, { buffer: Uint8Array }>>);
  return { applied: found.applied, registers: Object.fromEntries(pieces.map(([piece, { buffer }]) => [piece, buffer])) };
}

export const saveSiteDays = (writes: readonly GuardedWrite<SiteDayState>[]): Promise<boolean> => writeGuarded(SiteDayModel, writes);
export const saveVisitors = (writes: readonly GuardedWrite<VisitorsState>[]): Promise<boolean> => writeGuarded(VisitorsModel, writes);

/** The figures from one day to another, both included: of all sites that the scope sees, or one. */
export function figuresOfDays(scope: Scope, from: string, to: string, project_id?: string): Promise<DayFigures[]> {
  const day = where({ $gte: from, $lte: to });
  return scoped(SiteDayModel, scope).find(project_id === undefined ? { day } : { project_id, day }, { fields: dayFigures });
}

/** The last minutes of the days from `from` on. */
export async function recentMinutes(scope: Scope, from: string, project_id?: string): Promise<RecentMinute[]> {
  const day = where({ $gte: from });
  const found = await scoped(SiteDayModel, scope).find(project_id === undefined ? { day } : { project_id, day }, { fields: ['recent'] });
  return found.flatMap(({ recent }) => Object.values(recent ?? {}));
}

const across = acrossOrganizations(SiteDayModel);

/** The first day of which there are figures. */
export const firstDay = (): Promise<string | null> => across.least('day', {});

/** Whose sites were visited on a day. */
export const organizationsOf = async (day: string): Promise<string[]> =>
  (await across.owners('org_id', 'day', { day })).map(({ org_id }) => org_id);

/** Lets go of what is of use on the day itself alone. */
export const dropRecentMinutes = async (scope: Scope, day: string): Promise<void> =>
  void (await scoped(SiteDayModel, scope).updateMany({ day }, { $unset: { recent: true } }));

/** Deletes all figures of a site; the days that it had some of. */
export async function dropSite(scope: Scope, project_id: string): Promise<string[]> {
  const found = await scoped(SiteDayModel, scope).find({ project_id }, { fields: ['day'] });
  await scoped(VisitorsModel, scope).deleteMany({ _id: where({ $in: found.map(({ _id }) => _id) }) });
  await scoped(SiteDayModel, scope).deleteMany({ project_id });
  return found.map(({ day }) => day);
}
