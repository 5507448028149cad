import { handle } from '@webkiln/rpc';
import { etagOf, insertChange, newId } from '@webkiln/store';
import { openPlan, type PlanDraft, planAudited, toPlan } from './plan.ts';
import { PlanModel } from './plan-store.ts';

export const createPlan = handle('plans.CreatePlan', async ({ description = null, ...request }, caller) => {
  const draft = { ...request, _id: newId(caller), description } as PlanDraft;
  const opened = openPlan(draft, new Date().toISOString());
  const plan = await insertChange(PlanModel, caller, opened.withAudit(planAudited(caller, 'plan.created', opened.state)));
  return { plan: toPlan(plan), etag: etagOf(plan) };
});
