import { handle } from '@webkiln/rpc';
import { toPlan } from './plan.ts';
import { planPage } from './plan-store.ts';

export const listPlans = handle('plans.ListPlans', async ({ limit, offset }, caller) => {
  const { records, total } = await planPage(caller, { limit, offset });
  return { plans: records.map(toPlan), total };
});
