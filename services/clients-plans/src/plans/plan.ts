import { type AuditAction, changedFields, createProjection, inputFields, Plan, type StateOf, updatePlan } from '@webkiln/contract';
import { auditEvent, type Caller, Change } from '@webkiln/messages';

/** A stored plan. `sort_order` is set only by PATCH and is not public. `created_at` is ISO 8601 in UTC. */
export interface PlanState extends StateOf<typeof Plan> {
  sort_order: number;
}

export type PlanDraft = Omit<PlanState, 'is_active' | 'sort_order' | 'created_at'>;

/** `is_default` is stored in a collection of its own. */
type ChangeableField = Exclude<keyof typeof updatePlan.input.shape, 'is_default'>;
const changeable = inputFields(updatePlan).filter((field): field is ChangeableField => field !== 'is_default');
export type PlanFields = Pick<PlanState, ChangeableField>;

/** The public record. */
export const toPlan = createProjection(Plan);

/** The audit event of an act on a plan. */
export const planAudited = (caller: Caller, action: AuditAction, { _id, name }: Pick<PlanState, '_id' | 'name'>) =>
  auditEvent(caller, action, { kind: 'plan', id: _id, name });

/** A new plan is active. `now` is ISO 8601. */
export const openPlan = (draft: PlanDraft, now: string): Change<PlanState, never> =>
  new Change({ ...draft, is_active: true, sort_order: 0, created_at: now }, []);

/** The change to the wanted fields; null if nothing changes. */
export function changePlan(current: PlanState, wanted: Partial<PlanFields>): Change<Partial<PlanFields>, never> | null {
  const state = changedFields(current, wanted, changeable);
  return state === null ? null : new Change(state, []);
}

/** What a price comes to in a month. */
export const monthlyPrice = ({ price, interval }: { readonly price: number; readonly interval: string }): number =>
  interval === 'yearly' ? price / 12 : price;

/** The plan with the lowest price of a month; of equal ones the first. */
export const cheapestOf = <P extends Pick<PlanState, 'price' | 'interval'>>(plans: readonly P[]): P | undefined =>
  plans.toSorted((one, other) => monthlyPrice(one) - monthlyPrice(other))[0];
