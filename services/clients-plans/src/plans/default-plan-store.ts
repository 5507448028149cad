import type { Caller } from '@webkiln/rpc';
import { defineModel, isDuplicate, scoped } from '@webkiln/store';

/** One record per organization, by the organization's id: two plans cannot be its default at once, whatever crashes in between. */
const DefaultPlanModel = defineModel<{ plan_id: string | null }>('default_plans', { plan_id: { type: String, default: null } });

/** Makes the plan the default and takes that from the plan that had it. */
export async function makeDefault(caller: Caller, plan_id: string): Promise<void> {
  const { org_id } = caller.principal;
  const put = () => scoped(DefaultPlanModel, caller).updateOne({ _id: org_id }, { $set: { plan_id } }, { upsert: true });
  // Two first ones at once: the record that was missing is there now.
  await put().catch((error: unknown) => (isDuplicate(error) ? put() : Promise.reject(error)));
}

/** Leaves the organization without a default plan if this is the one. */
export async function endDefault(caller: Caller, plan_id: string): Promise<void> {
  await scoped(DefaultPlanModel, caller).updateOne({ plan_id }, { $set: { plan_id: null } });
}
