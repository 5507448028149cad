import { AppError, wholeListCap } from '@webkiln/contract';
import { defineModel, gatheredById, gatheredPage, type Scope } from '@webkiln/store';
import type { PlanState } from './plan.ts';

/** The list is read off the index in its order. */
export const PlanModel = defineModel<PlanState>(
  'plans',
  {
    name: { type: String, required: true },
    description: { type: String, default: null },
    price: { type: Number, required: true },
    interval: { type: String, required: true },
    max_sites: { type: Number, required: true },
    max_ai_messages_daily: { type: Number, required: true },
    can_export_code: { type: Boolean, required: true },
    can_use_custom_domain: { type: Boolean, required: true },
    is_active: { type: Boolean, required: true },
    sort_order: { type: Number, required: true },
    created_at: { type: String, required: true },
  },
  { indexes: [[{ org_id: 1, sort_order: 1, created_at: -1, _id: 1 }]] },
);

/** The plan; null when the organization has none with this id. */
export const planById = gatheredById(PlanModel);

/** For an id that a record is to refer to: throws `plan_unknown`. */
export async function assertPlanExists(scope: Scope, id: string): Promise<void> {
  if ((await planById(scope, id)) === null) throw new AppError('plan_unknown');
}

const page = gatheredPage(PlanModel, { sort: { sort_order: 1, created_at: -1, _id: 1 } });

/** By sort_order, then newest first, and how many there are in all; without a limit everything up to the cap. */
export const planPage = (scope: Scope, { limit = wholeListCap, offset }: { limit?: number; offset: number }) =>
  page(scope, {}, { limit, offset });
