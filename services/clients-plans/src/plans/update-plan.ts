import { AppError } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveChange, saveWithRetry } from '@webkiln/store';
import { changePlan, type PlanFields, toPlan } from './plan.ts';
import { endDefault, makeDefault, PlanModel, planById } from './plan-store.ts';

export const updatePlan = handle('plans.UpdatePlan', async (request, caller) => {
  const { is_default, ...wanted } = maskedFields(request) as Partial<PlanFields> & { is_default?: boolean };
  const plan = await saveWithRetry(caller, async () => {
    const current = await planById(caller, request.plan_id);
    if (current === null) throw new AppError('plan_not_found');
    assertMatches(caller, current);
    const change = changePlan(current, wanted);
    return change === null ? current : saveChange(PlanModel, caller, current, change);
  });
  // A second write: after a crash in between the request was not acknowledged, and its retry completes it.
  if (is_default !== undefined) await (is_default ? makeDefault : endDefault)(caller, plan._id);
  return { plan: toPlan(plan), etag: etagOf(plan) };
});
