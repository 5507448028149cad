import { AppError, type BillingDetails, inputFields, updateBillingDetails, wholeListCap } from '@webkiln/contract';
import { auditEvent, type Caller, Change } from '@webkiln/messages';
import { handle, maskedFields } from '@webkiln/rpc';
import { insertChange, newId, saveChange } from '@webkiln/store';
import type { BilledFields, ClientFields, ClientState } from '../clients/client.ts';
import { clientById, existingClient } from '../clients/client-store.ts';
import { BillingDetailsModel, detailsOf, lastSubscriptionOf, subscriptionById, subscriptionPage } from './billing-store.ts';
import { type Billing, billingTransaction, newRun, pricedPlan, runOf } from './change-billing.ts';
import { clock } from './clock.ts';
import type { BillingCycle } from './rules/billing-cycle.ts';
import { type PricedPlan, toSubscription } from './rules/subscription.ts';
import { saveRun, saveRunOf } from './save-runs.ts';

const audited = (caller: Caller, client: ClientState) =>
  auditEvent(caller, 'subscription.changed', { kind: 'client', id: client._id, name: client.name ?? client.email });

type Act = (cycle: BillingCycle, now: Date, billing: Billing) => void | Promise<void>;

/** Changes a client's subscription. Throws `subscription_not_found` if none goes on. */
export const changeSubscription = (caller: Caller, client_id: string, act: Act) =>
  billingTransaction(
    caller.principal.org_id,
    async (billing) => {
      const client = await existingClient(billing, client_id);
      const run = await runOf(billing, client_id);
      if (run === null) throw new AppError('subscription_not_found');
      await act(run.cycle, clock.now(), billing);
      await saveRunOf(billing, client, run, { acts: [audited(caller, client)] });
      return { subscription: toSubscription(run.cycle.state) };
    },
    caller,
  );

const listSubscriptions = handle('billing.ListSubscriptions', async ({ limit = wholeListCap, ...page }, caller) => {
  const { records, total, next_cursor } = await subscriptionPage(caller, { limit, ...page });
  return { subscriptions: records.map(toSubscription), total, next_cursor };
});

const getSubscription = handle('billing.GetSubscription', async ({ client_id }, caller) => {
  await existingClient(caller, client_id);
  const subscription = await lastSubscriptionOf(caller, client_id);
  if (subscription === null) throw new AppError('subscription_not_found');
  return { subscription: toSubscription(subscription) };
});

/** The plan, if it costs something. */
async function existingPricedPlan(billing: Billing, plan_id: string): Promise<PricedPlan> {
  const plan = await pricedPlan(billing, plan_id, billing.account);
  if (plan.price === 0) throw new AppError('plan_not_priced');
  return plan;
}

const openSubscription = handle('billing.OpenSubscription', ({ client_id, plan_id }, caller) => {
  const id = newId(caller);
  return billingTransaction(
    caller.principal.org_id,
    async (billing) => {
      const client = await existingClient(billing, client_id);
      const earlier = await subscriptionById(billing, id);
      if (earlier !== null) return { subscription: toSubscription(earlier) };
      if ((await runOf(billing, client_id)) !== null) throw new AppError('subscription_live');
      const run = await newRun(billing, id, client_id, await existingPricedPlan(billing, plan_id), clock.now());
      await saveRunOf(billing, client, run, { acts: [audited(caller, client)] });
      return { subscription: toSubscription(run.cycle.state) };
    },
    caller,
  );
});

const cancelSubscription = handle('billing.CancelSubscription', ({ client_id, at }, caller) =>
  changeSubscription(caller, client_id, (cycle, now) => cycle.cancel(at === 'now' ? 'now' : 'period_end', now)),
);

const pauseSubscription = handle('billing.PauseSubscription', ({ client_id }, caller) =>
  changeSubscription(caller, client_id, (cycle, now) => {
    if (!cycle.pause(now)) throw new AppError('subscription_not_paid');
  }),
);

const resumeSubscription = handle('billing.ResumeSubscription', ({ client_id }, caller) =>
  changeSubscription(caller, client_id, (cycle, now) => cycle.resume(now)),
);

const changeSubscriptionPlan = handle('billing.ChangeSubscriptionPlan', ({ client_id, plan_id, at }, caller) =>
  changeSubscription(caller, client_id, async (cycle, now, billing) => {
    const plan = await existingPricedPlan(billing, plan_id);
    if (at === 'renewal') cycle.changePlanAtRenewal(plan);
    else cycle.changePlan(plan, now);
  }),
);

/**
 * What a change of a client's plan or status means for its subscription: a priced plan opens or changes one; a free
 * plan, none, or a client who leaves ends it. Returns what else changes of the client.
 */
export async function billClient(
  billing: Billing,
  caller: Caller,
  client: ClientState,
  wanted: Partial<ClientFields>,
  id: string,
): Promise<BilledFields> {
  const { plan_id = client.plan_id, status } = wanted;
  const now = clock.now();
  const run = await runOf(billing, client._id);
  const plan = plan_id === null || status === 'churned' ? null : await pricedPlan(billing, plan_id, billing.account);
  const acts = [audited(caller, client)];
  if (plan === null || plan.price === 0) {
    if (run === null) return {};
    run.cycle.cancel('now', now);
    return saveRun(billing, client, run, { acts });
  }
  if (run === null) return saveRun(billing, client, await newRun(billing, id, client._id, plan, now), { acts });
  run.cycle.changePlan(plan, now);
  return saveRun(billing, client, run, { acts });
}

const noDetails = { name: null, address: null, tax_id: null };
const noCard = { stripe_account: null, stripe_customer: null, card: null, card_expires_at: null };

const getBillingDetails = handle('billing.GetBillingDetails', async ({ client_id }, caller) => {
  if ((await clientById(caller, client_id)) === null) throw new AppError('client_not_found');
  const { name, address, tax_id } = (await detailsOf(caller, client_id)) ?? noDetails;
  return { billing_details: { name, address, tax_id } };
});

const changeBillingDetails = handle('billing.UpdateBillingDetails', async (request, caller) => {
  const wanted = maskedFields<BillingDetails>(request);
  const { client_id: _id } = request;
  const client = await existingClient(caller, _id);
  const act = auditEvent(caller, 'client.changed', { kind: 'client', id: _id, name: client.name ?? client.email });
  const first = await insertChange(BillingDetailsModel, caller, new Change({ _id, ...noDetails, ...noCard }, []));
  const changed = Object.fromEntries(inputFields(updateBillingDetails).flatMap((name) => (name in wanted ? [[name, wanted[name]]] : [])));
  const { name, address, tax_id } = await saveChange(BillingDetailsModel, caller, first, new Change(changed, [act]));
  return { billing_details: { name, address, tax_id } };
});

export const subscriptionUseCases = [
  ...[listSubscriptions, getSubscription, openSubscription, cancelSubscription, pauseSubscription, resumeSubscription],
  ...[changeSubscriptionPlan, getBillingDetails, changeBillingDetails],
];
