import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { existingClient } from '../clients/client-store.ts';
import { planById } from '../plans/plan-store.ts';
import { defaultSettings, lastSubscriptionOf, latestOrdersOf, storedAccount } from './billing-store.ts';
import { toOrder } from './order.ts';
import { toSubscription } from './subscription.ts';
import { changeSubscription } from './subscription-use-cases.ts';

const maxOrders = 100;

/** The client that the session belongs to. */
function ownClientOf({ principal: { client_id } }: Caller): string {
  if (client_id === undefined) throw new AppError('role_missing');
  return client_id;
}

/** What a signed-in client sees of its own payments, and may do itself. `origin` is where the platform is. */
export const ownBillingUseCases = (origin: string) => [
  handle('billing.GetOwnBilling', async (_request, caller) => {
    const { org_id } = caller.principal;
    const client = await existingClient({ org_id }, ownClientOf(caller));
    const [account, plan, subscription, orders] = await Promise.all([
      storedAccount({ org_id }),
      client.plan_id === null ? null : planById({ org_id }, client.plan_id),
      lastSubscriptionOf({ org_id }, client._id),
      latestOrdersOf({ org_id }, client._id, maxOrders),
    ]);
    const { clients_may_cancel } = account ?? defaultSettings;
    const ending = ['canceled', 'paused'];
    const goesOn = subscription !== null && !ending.includes(subscription.status) && !subscription.cancel_at_period_end;
    return {
      billing: {
        plan_name: plan?.name ?? null,
        subscription: subscription === null ? null : toSubscription(subscription),
        may_cancel: clients_may_cancel && goesOn,
        orders: orders.map((order) => toOrder(origin, org_id, order)),
      },
    };
  }),
  handle('billing.CancelOwnSubscription', async (_request, caller) => {
    return changeSubscription(caller, ownClientOf(caller), (cycle, now, { account }) => {
      if (!account.clients_may_cancel) throw new AppError('cancel_not_allowed');
      cycle.cancel('period_end', now);
    });
  }),
];
