import { handle } from '@webkiln/rpc';
import { toPlan } from './plan.ts';
import { planPage } from './plan-store.ts';

export const listPlans = handle('plans.ListPlans', async (page, caller) => {
  const { records, total, next_cursor } = await planPage(caller, page);
  return { plans: records.map(toPlan), total, next_cursor };
});
