import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { toPlan } from './plan.ts';
import { planById } from './plan-store.ts';

export const getPlan = handle('plans.GetPlan', async ({ plan_id }, caller) => {
  const plan = await planById(caller, plan_id);
  if (plan === null) throw new AppError('plan_not_found');
  return { plan: toPlan(plan), etag: etagOf(plan) };
});
