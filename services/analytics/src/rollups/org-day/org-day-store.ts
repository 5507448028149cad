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
import { type DayFigures, dayFigures } from './day-figures.ts';
import { noRanking } from './ranking.ts';

/** The figures of an organization as they are kept of a day that is over. `_id` is "<org_id>/<day>". */
interface OrgDayState extends DayFigures {
  /** Set by who changes a site-day of this day: the figures are to be made anew. Whoever makes them takes away the mark that he began with. */
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
    stale: String,
  },
  {
    indexes: [[{ org_id: 1, day: 1 }]],
    indexesAcross: [[{ stale: 1, org_id: 1 }, { partialFilterExpression: { stale: { $gt: '' } } }]],
  },
);

/** The last day of which every organization's figures were made; it belongs to the platform. */
const ClosedModel = defineGlobalModel<{ day: string }>('closed_days', { day: { type: String, required: true } });
const closedId = 'org_days';

const idOf = ({ org_id }: { org_id: string }, day: string) => `${org_id}/${day}`;
const nothing = { views: 0, bots: 0, uniques: 0, pages: noRanking, referrers: noRanking, devices: noRanking };

/** Says that the figures of days are to be made anew; returns the mark. */
export async function markStale(scope: Tenant, days: readonly string[]): Promise<string> {
  const stale = randomUUID();
  // One after the other: the scope may be a transaction's.
  for (const day of days) {
    const update = { $set: { stale }, $setOnInsert: { day, ...nothing } };
    await scoped(OrgDayModel, scope).updateOne({ _id: idOf(scope, day) }, update, { upsert: true });
  }
  return stale;
}

/** Keeps the figures of a day, unless another mark was set since they were begun. */
export async function keepOrgDay(scope: Tenant, figures: DayFigures, stale: string): Promise<void> {
  const filter = { _id: idOf(scope, figures.day), stale };
  await scoped(OrgDayModel, scope).updateOne(filter, { $set: figures, $unset: { stale: true } });
}

/** Days whose figures are to be made anew, each with its organization. */
export const staleDays = async (): Promise<{ org_id: string; day: string }[]> => {
  const found: Owner[] = await acrossOrganizations(OrgDayModel).owners('_id', 'stale', { stale: where<string | undefined>({ $gt: '' }) });
  return found.map(({ org_id, key }) => ({ org_id, day: key.slice(org_id.length + 1) }));
};

export const orgDays = (scope: Scope, from: string, to: string) =>
  scoped(OrgDayModel, scope).find({ day: where({ $gte: from, $lte: to }) }, { fields: dayFigures });

/** The last day that is closed for all organizations; null before the first. */
export const closedDay = async (): Promise<string | null> => (await unscoped(ClosedModel).findOne({ _id: closedId }))?.day ?? null;

export const setClosedDay = async (day: string): Promise<void> =>
  void (await unscoped(ClosedModel).updateOne({ _id: closedId }, { $set: { day } }, { upsert: true }));
