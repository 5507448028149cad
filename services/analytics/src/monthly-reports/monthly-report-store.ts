import { Change, type MonthlyReport } from '@webkiln/messages';
import { defineModel, insertChange, scoped, type Tenant, where } from '@webkiln/store';
import { dayMs, startOfDay } from '../views/view.ts';

/** Longer than the month that it is raised in. */
const keptMs = 40 * dayMs;

/** That the report of a month was raised. `_id` is "<user_id>/<month>", so that it is raised once. */
interface MonthlyReportState {
  month: string;
  /** The UTC day on which it was raised. */
  day: string;
  expire_at: Date;
}

const text = { type: String, required: true };

const MonthlyReportModel = defineModel<MonthlyReportState>(
  'monthly_reports',
  { month: text, day: text, expire_at: { type: Date, required: true } },
  {
    exportedAs: null,
    raisesEvents: true,
    indexes: [[{ org_id: 1, month: 1, day: 1 }]],
    indexesAcross: [[{ expire_at: 1 }, { expireAfterSeconds: 0 }]],
  },
);

/** Raises a report, unless it was raised before. */
export async function raiseReport(scope: Tenant, report: MonthlyReport, day: string): Promise<void> {
  const { user_id, month } = report;
  const state = { _id: `${user_id}/${month}`, month, day, expire_at: new Date(startOfDay(day) + keptMs) };
  await insertChange(MonthlyReportModel, scope, new Change(state, [{ type: 'internal.report.due' as const, data: report }]));
}

/** The users whose report of a month was raised. */
export async function findReported(scope: Tenant, month: string): Promise<ReadonlySet<string>> {
  const found = await scoped(MonthlyReportModel, scope).find({ month }, { fields: [] });
  return new Set(found.map(({ _id }) => _id.slice(0, -month.length - 1)));
}

/** How many reports of an organization were raised on a day. */
export const countRaised = (scope: Tenant, month: string, day: string): Promise<number> =>
  scoped(MonthlyReportModel, scope).count({ month, day: where({ $gte: day }) });
