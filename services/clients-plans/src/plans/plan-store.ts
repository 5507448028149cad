import { AppError, Plan, wholeListCap } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { batchedById, coalescedPage, defineModel, definitionOf, isDuplicate, type Scope, scoped, type WholePage } from '@webkiln/store';
import type { PlanState } from './plan.ts';

// The index serves the sorted list.
export const PlanModel = defineModel<PlanState>(
  'plans',
  { ...definitionOf(Plan), sort_order: { type: Number, required: true } },
  { indexes: [[{ org_id: 1, sort_order: 1, created_at: -1, _id: 1 }]] },
);

/** Null if the organization has no such plan. */
export const planById = batchedById(PlanModel);

/** Checks the id of a plan that a record will refer to. Throws `plan_unknown`. */
export async function assertPlanExists(scope: Scope, id: string): Promise<void> {
  if ((await planById(scope, id)) === null) throw new AppError('plan_unknown');
}

const page = coalescedPage(PlanModel, { sort: { sort_order: 1, created_at: -1, _id: 1 } });

/** A page by sort_order, then newest first, and the total; without a limit everything up to the cap. */
export const planPage = (scope: Scope, { limit = wholeListCap, offset, cursor }: WholePage) => page(scope, {}, { limit, offset, cursor });

// One record per organization, under the organization's id, so that two plans can never be its default.
const DefaultPlanModel = defineModel<{ plan_id: string | null }>('default_plans', { plan_id: { type: String, default: null } });

/** Makes the plan the organization's only default. */
export async function makeDefault(caller: Caller, plan_id: string): Promise<void> {
  const { org_id } = caller.principal;
  const save = () => scoped(DefaultPlanModel, caller).updateOne({ _id: org_id }, { $set: { plan_id } }, { upsert: true });
  // A concurrent first call may insert the record; then this one updates it.
  await save().catch((error: unknown) => (isDuplicate(error) ? save() : Promise.reject(error)));
}

/** Removes the organization's default if it is this plan. */
export async function endDefault(caller: Caller, plan_id: string): Promise<void> {
  await scoped(DefaultPlanModel, caller).updateOne({ plan_id }, { $set: { plan_id: null } });
}
