import { type Change, changedFields, type Plan } from '@webkiln/contract';

/** A plan as it is kept. `sort_order` is set by PATCH alone and not shown. `created_at` is ISO 8601 in UTC, as it is shown. */
export interface PlanState extends Omit<Plan, 'id'> {
  _id: string;
  sort_order: number;
}

export type PlanDraft = Omit<PlanState, 'is_active' | 'sort_order' | 'created_at'>;
export type ShownPlan = Omit<PlanState, 'sort_order'>;

const changeable = [
  'name',
  'description',
  'price',
  'interval',
  'max_sites',
  'max_ai_messages_daily',
  'can_export_code',
  'can_use_custom_domain',
  'is_active',
  'sort_order',
] as const satisfies readonly (keyof PlanState)[];
export type PlanFields = Pick<PlanState, (typeof changeable)[number]>;

/** The REST shape. */
export const toPlan = (plan: ShownPlan): Plan => ({
  id: plan._id,
  name: plan.name,
  description: plan.description,
  price: plan.price,
  interval: plan.interval,
  max_sites: plan.max_sites,
  max_ai_messages_daily: plan.max_ai_messages_daily,
  can_export_code: plan.can_export_code,
  can_use_custom_domain: plan.can_use_custom_domain,
  is_active: plan.is_active,
  created_at: plan.created_at,
});

/** A new plan can be attached to clients at once. `now` is ISO 8601. */
export const openPlan = (draft: PlanDraft, now: string): Change<PlanState> => ({
  state: { ...draft, is_active: true, sort_order: 0, created_at: now },
  events: [],
});

/** The change to the wanted fields; null when nothing differs. */
export function changePlan(current: PlanState, wanted: Partial<PlanFields>): Change<Partial<PlanFields>> | null {
  const state = changedFields(current, wanted, changeable);
  return state === null ? null : { state, events: [] };
}
