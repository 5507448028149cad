import { logger, pause, runPeriodically } from '@webkiln/runtime';
import { existingClient } from '../clients/client-store.ts';
import { dueSubscriptions, dueSubscriptionsOf, endLease, leaseAccount, type SubscriptionRecord, subscriptionOf } from './billing-store.ts';
import { type Billing, billingTransaction, pricedPlan, runsOver } from './change-billing.ts';
import { clock } from './clock.ts';
import { saveRunsOf } from './save-runs.ts';

const pollMs = 5_000;
/** Far longer than a batch takes; then another process goes on. */
const leaseMs = 15_000;
/** Subscriptions of one organization in one transaction, of which callers hardly notice. */
const batchSize = 25;
/** What a process rests after a batch, as a share of the time that it took: callers go first. */
const restShare = 1;
/** How many due subscriptions are looked at to find their organizations. */
const maxSeen = 1_000;

/** Renews, reminds and ends subscriptions when that is due. Returns how to stop. */
export const startRenewals = (): (() => void) => runPeriodically({ everyMs: pollMs, name: 'renewals' }, () => renewDue(clock.now()));

/** Does what is due by now, in every organization that no other process works for. */
export async function renewDue(now: Date): Promise<void> {
  const owners = await dueSubscriptions(now, maxSeen);
  for (const org_id of new Set(owners.map(({ org_id }) => org_id))) {
    try {
      for (let isMore = true; isMore; ) {
        const begunAt = performance.now();
        isMore = (await renewLeased(org_id, now)) === batchSize;
        await pause(restShare * (performance.now() - begunAt));
      }
    } catch (err) {
      logger.warn({ err, org_id }, 'renewal of subscriptions failed; it is tried again in a minute');
    }
  }
}

/** Renews a batch, unless another process does. Returns how many were due. */
async function renewLeased(org_id: string, now: Date): Promise<number> {
  if (!(await leaseAccount({ org_id }, new Date(), new Date(Date.now() + leaseMs)))) return 0;
  const count = await billingTransaction(org_id, (billing) => renewBatch(billing, now));
  await endLease({ org_id });
  return count;
}

async function renewBatch(billing: Billing, now: Date): Promise<number> {
  const { org_id } = billing;
  const due = await dueSubscriptionsOf({ org_id }, now, batchSize);
  const runs = await runsOver(billing, due);
  const changed = await Promise.all(
    runs.map(async (run, at) => {
      const { client_id, status, next_plan_id, plan_id } = due[at] as SubscriptionRecord;
      const [plan, client, live] = await Promise.all([
        pricedPlan(billing, next_plan_id ?? plan_id, billing.account),
        existingClient({ org_id }, client_id),
        status === 'canceled' ? subscriptionOf({ org_id }, client_id) : null,
      ]);
      run.cycle.runDue(plan, now);
      // It has subscribed again meanwhile.
      if (run.cycle.isGraceOver && live !== null) run.cycle.isGraceOver = false;
      return { client, run };
    }),
  );
  if (changed.length > 0) await saveRunsOf(billing, changed);
  return due.length;
}
