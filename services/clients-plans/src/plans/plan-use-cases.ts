import { AppError } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, batchedById, etagOf, insertChange, newId, saveChange, saveWithRetry, type Tenant } from '@webkiln/store';
import { BillingAccountModel, defaultSettings } from '../billing/billing-store.ts';
import { decimalsOf, toMinor } from '../billing/rules/money.ts';
import { changePlan, openPlan, type PlanDraft, type PlanFields, planAudited, toPlan } from './plan.ts';
import { changeDefault, PlanModel, planById, planPage } from './plan-store.ts';

const listPlans = handle('plans.ListPlans', async (page, caller) => {
  const { records, total, next_cursor } = await planPage(caller, page);
  return { plans: records.map(toPlan), total, next_cursor };
});

const getPlan = handle('plans.GetPlan', async ({ plan_id }, caller) => {
  const plan = await planById(caller, plan_id);
  if (plan === null) throw new AppError('plan_not_found');
  return { plan: toPlan(plan), etag: etagOf(plan) };
});

/** Reads of one moment are one query. */
const storedCurrency = batchedById(BillingAccountModel, ['currency']);

/** Throws `validation_failed` for a price that is finer than the smallest unit of the organization's currency. */
async function assertPayable({ org_id }: Tenant, price: number | undefined): Promise<void> {
  if (price === undefined) return;
  const { currency } = (await storedCurrency({ org_id }, org_id)) ?? defaultSettings;
  if (toMinor(price, currency) !== undefined) return;
  const message = `must have at most ${decimalsOf(currency)} decimals in ${currency}`;
  throw new AppError('validation_failed', [{ path: 'price', message }]);
}

const createPlan = handle('plans.CreatePlan', async ({ description = null, ...request }, caller) => {
  await assertPayable(caller.principal, request.price);
  const draft = { ...request, _id: newId(caller), description } as PlanDraft;
  const opened = openPlan(draft, new Date().toISOString());
  const plan = await insertChange(PlanModel, caller, opened.withAudit(planAudited(caller, 'plan.created', opened.state)));
  return { plan: toPlan(plan), etag: etagOf(plan) };
});

const updatePlan = handle('plans.UpdatePlan', async (request, caller) => {
  const { is_default, ...wanted } = maskedFields(request) as Partial<PlanFields> & { is_default?: boolean };
  await assertPayable(caller.principal, wanted.price);
  const attempt = async () => {
    const current = await planById(caller, request.plan_id);
    if (current === null) throw new AppError('plan_not_found');
    assertMatches(caller, current);
    const change = changePlan(current, wanted);
    if (change === null) return current;
    const act = planAudited(caller, 'plan.changed', { ...current, ...change.state });
    return saveChange(PlanModel, caller, current, change.withAudit(act));
  };
  const plan = await saveWithRetry(caller, attempt, request.plan_id);
  // A second write: after a crash in between the request was not acknowledged, and its retry completes it.
  if (is_default !== undefined) await changeDefault(caller, plan, is_default);
  return { plan: toPlan(plan), etag: etagOf(plan) };
});

export const planUseCases = [listPlans, createPlan, getPlan, updatePlan];
