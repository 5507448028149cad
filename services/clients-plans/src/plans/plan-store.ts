import { AppError, Interval, Plan, type PlanLimit, wholeListCap } from '@webkiln/contract';
import { type Caller, Change } from '@webkiln/messages';
import { retry } from '@webkiln/runtime';
import {
  batchedById,
  coalescedPage,
  defineModel,
  definitionOf,
  insertChange,
  isEditedMeanwhile,
  type Scope,
  type Stored,
  saveChange,
  scoped,
  type WholePage,
  where,
} from '@webkiln/store';
import { type PlanState, planAudited } from './plan.ts';

// One index serves the sorted list, the other what is cheapest.
export const PlanModel = defineModel<PlanState>(
  'plans',
  { ...definitionOf(Plan), sort_order: { type: Number, required: true } },
  {
    ...{ exportedAs: 'plans', raisesEvents: true },
    indexes: [
      [{ org_id: 1, sort_order: 1, created_at: -1, _id: 1 }],
      [{ org_id: 1, interval: 1, price: 1, sort_order: 1, created_at: -1, _id: 1 }],
    ],
  },
);

/** Null if the organization has no such plan. */
export const planById = batchedById(PlanModel);

/** Checks the id of a plan that a record will refer to. Throws `plan_unknown`. */
export async function assertPlanExists(scope: Scope, id: string): Promise<void> {
  if ((await planById(scope, id)) === null) throw new AppError('plan_unknown');
}

const page = coalescedPage(PlanModel, { sort: { sort_order: 1, created_at: -1, _id: 1 } });

/** The cheapest active plan of each interval that allows more than is `used`, by sort_order. */
export async function offersAllowing(scope: Scope, limit: PlanLimit, used: number): Promise<readonly Stored<PlanState>[]> {
  const more = { [limit]: limit.startsWith('max_') ? where({ $gt: used }) : true };
  const cheapest = (interval: PlanState['interval']) =>
    scoped(PlanModel, scope).find(
      { is_active: true, interval, ...more },
      { sort: { price: 1, sort_order: 1, created_at: -1, _id: 1 }, limit: 1 },
    );
  const offers = await Promise.all(Interval.options.map(cheapest));
  return offers.flat().toSorted((one, other) => one.sort_order - other.sort_order);
}

/** A page by sort_order, then newest first, and the total; without a limit everything up to the cap. */
export const planPage = (scope: Scope, { limit = wholeListCap, offset, cursor }: WholePage) => page(scope, {}, { limit, offset, cursor });

// One record per organization, under the organization's id, so that two plans can never be its default.
const DefaultPlanModel = defineModel<{ plan_id: string | null }>(
  'default_plans',
  { plan_id: { type: String, default: null } },
  { exportedAs: null, raisesEvents: true },
);

/** Makes the plan the organization's only default, or ends that it is. */
export async function changeDefault(caller: Caller, plan: Stored<PlanState>, isDefault: boolean): Promise<void> {
  const { org_id } = caller.principal;
  const attempt = async () => {
    const current = (await scoped(DefaultPlanModel, caller).findOne({ _id: org_id })) ?? (await insertDefault(caller, org_id));
    if ((current.plan_id === plan._id) === isDefault) return;
    const events = [planAudited(caller, 'default_plan.changed', plan)];
    await saveChange(DefaultPlanModel, caller, current, new Change({ plan_id: isDefault ? plan._id : null }, events));
  };
  // Each lost race made another plan the default.
  await retry(attempt, { isRetryable: (error) => isEditedMeanwhile(error) && Date.now() < caller.deadlineAt });
}

/** The plan of clients who sign up by themselves; null if the organization has none. */
export async function defaultPlanOf(scope: Scope & { readonly principal: { readonly org_id: string } }): Promise<string | null> {
  const current = await scoped(DefaultPlanModel, scope).findOne({ _id: scope.principal.org_id });
  return current?.plan_id ?? null;
}

/** A concurrent first call may insert the record; then that one is returned. */
const insertDefault = (caller: Caller, _id: string) => insertChange(DefaultPlanModel, caller, new Change({ _id, plan_id: null }, []));
