import {
  acrossOrganizations,
  batchedById,
  defineModel,
  deleteOfProject,
  type Filter,
  type GuardedWrite,
  type Scope,
  type Stored,
  scoped,
  type Tenant,
  where,
  writeGuarded,
} from '@webkiln/store';
import { brokenDownFields, type DayStats, dayStatsFields } from './tally.ts';

/** One of the last 30 minutes: `minute` since 1970; `visitors` who were last seen in it. */
export type RecentMinute = readonly [minute: number, views: number, visitors: number];

/** The statistics of one site on one UTC day. `_id` is "<project_id>/<day>". */
export interface SiteDayState extends DayStats {
  project_id: string;
  /** The owner of the project. */
  user_id: string;
  /** The record contains exactly the views up to this position of the stream. */
  applied: number;
  /** Keyed by minute modulo 30; removed when the day is closed. */
  recent?: Readonly<Record<string, RecentMinute>>;
}

/** A visitor set as stored: the visitors, 16 characters each, or the sketch in pieces of 256 registers. */
export interface StoredVisitors {
  readonly seen?: readonly string[];
  readonly registers?: Readonly<Record<string, Uint8Array>>;
}

/** The visitors of a site-day, to recognize returning ones during the day. */
export interface VisitorsState extends StoredVisitors {
  applied: number;
  expire_at: Date;
}

const required = { type: Number, required: true };
const ranking = { type: String, required: true };

const ofProject = { org_id: 1, project_id: 1, day: 1 } as const;

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
    breakdown: String,
    recent: Object,
  },
  {
    ofProject: 'project_id',
    exportedAs: 'analytics',
    ownedBy: 'user_id',
    indexes: [[{ org_id: 1, day: 1 }], [{ org_id: 1, user_id: 1, day: 1 }], [ofProject]],
    indexesAcross: [[{ day: 1, org_id: 1 }]],
  },
);

const VisitorsModel = defineModel<VisitorsState>(
  'site_day_visitors',
  { applied: required, seen: { type: [String], default: undefined }, registers: Object, expire_at: { type: Date, required: true } },
  { exportedAs: null, indexesAcross: [[{ expire_at: 1 }, { expireAfterSeconds: 0 }]] },
);

export const loadSiteDay = batchedById(SiteDayModel);
const visitorsOf = batchedById(VisitorsModel);

/** Loads the visitors of a site-day and the position that they are counted to; null if there is no record. */
export async function loadVisitors(scope: Scope, _id: string): Promise<(StoredVisitors & { applied: number }) | null> {
  const found = await visitorsOf(scope, _id);
  if (found?.registers === undefined) return found;
  // The driver returns bytes in a wrapper.
  const pieces = Object.entries(found.registers as unknown as Readonly<Record<string, { buffer: Uint8Array }>>);
  return { applied: found.applied, registers: Object.fromEntries(pieces.map(([piece, { buffer }]) => [piece, buffer])) };
}

export const saveSiteDays = (writes: readonly GuardedWrite<SiteDayState>[]): Promise<boolean> => writeGuarded(SiteDayModel, writes);
export const saveVisitors = (writes: readonly GuardedWrite<VisitorsState>[]): Promise<boolean> => writeGuarded(VisitorsModel, writes);

type DayFilter = Filter<Stored<SiteDayState>>;

/** The days of one project, or of all sites in the scope. Without the hint MongoDB may read all sites for one. */
const daysOf = <K extends keyof Stored<SiteDayState>>(
  scope: Scope,
  day: DayFilter['day'],
  project_id: string | undefined,
  fields: readonly K[],
) =>
  project_id === undefined
    ? scoped(SiteDayModel, scope).find({ day }, { fields })
    : scoped(SiteDayModel, scope).find({ project_id, day }, { fields, hint: ofProject });

/** Finds the statistics between two days, both inclusive, of one project or of all sites in the scope. */
export const findDayStats = (scope: Scope, from: string, to: string, project_id?: string): Promise<DayStats[]> =>
  daysOf(scope, where({ $gte: from, $lte: to }), project_id, dayStatsFields);

/** The same, with their breakdowns. */
export const findBrokenDown = (scope: Scope, from: string, to: string, project_id?: string): Promise<DayStats[]> =>
  daysOf(scope, where({ $gte: from, $lte: to }), project_id, brokenDownFields);

/** Finds the recent minutes of the days from `from` on. */
export async function findRecentMinutes(scope: Scope, from: string, project_id?: string): Promise<RecentMinute[]> {
  const found = await daysOf(scope, where({ $gte: from }), project_id, ['recent']);
  return found.flatMap(({ recent }) => Object.values(recent ?? {}));
}

const across = acrossOrganizations(SiteDayModel);

/** Finds the first day that has statistics. */
export const findFirstDay = (): Promise<string | null> => across.least('day', {});

/** Finds the organizations that had visits on a day. */
export const findOrganizations = async (day: string): Promise<string[]> =>
  (await across.owners('org_id', 'day', { day })).map(({ org_id }) => org_id);

/** Finds the users whose sites had views between two days, both inclusive. */
export async function findUsers(scope: Tenant, from: string, to: string): Promise<ReadonlySet<string>> {
  const filter = { day: where({ $gte: from, $lte: to }), views: where({ $gt: 0 }) };
  return new Set((await scoped(SiteDayModel, scope).find(filter, { fields: ['user_id'] })).map(({ user_id }) => user_id));
}

/** Finds the statistics of a user's sites between two days, both inclusive. */
export const findSiteDays = (scope: Tenant, from: string, to: string, user_id: string) =>
  scoped(SiteDayModel, scope).find({ user_id, day: where({ $gte: from, $lte: to }) }, { fields: [...dayStatsFields, 'project_id'] });

/** Deletes the recent minutes of a closed day. */
export const deleteRecentMinutes = async (scope: Scope, day: string): Promise<void> =>
  void (await scoped(SiteDayModel, scope).updateMany({ day }, { $unset: { recent: true } }));

/** Gives the statistics of a site to the user who owns it. */
export const moveSite = async (scope: Tenant, project_id: string, user_id: string): Promise<void> =>
  void (await scoped(SiteDayModel, scope).updateMany({ project_id, user_id: where({ $ne: user_id }) }, { $set: { user_id } }));

/** Deletes all statistics of a site; returns the days that it had. */
export async function deleteSite(scope: Tenant, project_id: string): Promise<string[]> {
  const found = await scoped(SiteDayModel, scope).find({ project_id }, { fields: ['day'] });
  await scoped(VisitorsModel, scope).deleteMany({ _id: where({ $in: found.map(({ _id }) => _id) }) });
  await deleteOfProject(scope, project_id);
  return found.map(({ day }) => day);
}
