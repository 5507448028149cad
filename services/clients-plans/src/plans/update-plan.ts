import { AppError } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveChange, saveWithRetry } from '@webkiln/store';
import { changePlan, type PlanFields, planAudited, toPlan } from './plan.ts';
import { changeDefault, PlanModel, planById } from './plan-store.ts';

export const updatePlan = handle('plans.UpdatePlan', async (request, caller) => {
  const { is_default, ...wanted } = maskedFields(request) as Partial<PlanFields> & { is_default?: boolean };
  const plan = await saveWithRetry(caller, async () => {
    const current = await planById(caller, request.plan_id);
    if (current === null) throw new AppError('plan_not_found');
    assertMatches(caller, current);
    const change = changePlan(current, wanted);
    if (change === null) return current;
    const act = planAudited(caller, 'plan.changed', { ...current, ...change.state });
    return saveChange(PlanModel, caller, current, change.withAudit(act));
  });
  // A second write: after a crash in between the request was not acknowledged, and its retry completes it.
  if (is_default !== undefined) await changeDefault(caller, plan, is_default);
  return { plan: toPlan(plan), etag: etagOf(plan) };
});
