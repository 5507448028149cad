import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { existingClient } from '../clients/client-store.ts';
import { planById } from '../plans/plan-store.ts';
import { defaultSettings, detailsOf, lastSubscriptionOf, latestOrdersOf, storedAccount } from './billing-store.ts';
import { cardOf } from './change-billing.ts';
import { merchantOf, type Payments } from './payments/apply-payment.ts';
import { toOrder } from './rules/order.ts';
import { toSubscription } from './rules/subscription.ts';
import { changeSubscription } from './subscription-use-cases.ts';

const maxOrders = 100;

/** The client that the session belongs to. */
function ownClientOf({ principal: { client_id } }: Caller): string {
  if (client_id === undefined) throw new AppError('role_missing');
  return client_id;
}

/** What a signed-in client sees of its own payments, and may do itself. */
export const ownBillingUseCases = (payments: Payments) => [
  handle('billing.GetOwnBilling', async (_request, caller) => {
    const { org_id } = caller.principal;
    const client = await existingClient({ org_id }, ownClientOf(caller));
    const [account, plan, subscription, orders, details] = await Promise.all([
      storedAccount({ org_id }),
      client.plan_id === null ? null : planById({ org_id }, client.plan_id),
      lastSubscriptionOf({ org_id }, client._id),
      latestOrdersOf({ org_id }, client._id, maxOrders),
      detailsOf({ org_id }, client._id),
    ]);
    const { clients_may_cancel, time_zone, tax_name, tax_rate, tax_included } = account ?? defaultSettings;
    const ending = ['canceled', 'paused'];
    const goesOn = subscription !== null && !ending.includes(subscription.status) && !subscription.cancel_at_period_end;
    return {
      billing: {
        plan_name: plan?.name ?? null,
        subscription: subscription === null ? null : toSubscription(subscription),
        may_cancel: clients_may_cancel && goesOn,
        ...{ time_zone, tax_name, tax_rate, tax_included },
        card: account === null ? null : cardOf(account, details),
        orders: orders.map((order) => toOrder(payments.origin, org_id, order)),
      },
    };
  }),
  handle('billing.ChangeOwnCard', async (_request, caller) => {
    const { org_id } = caller.principal;
    const [merchant, details] = await Promise.all([merchantOf(payments, org_id), detailsOf({ org_id }, ownClientOf(caller))]);
    if (merchant === undefined || details?.stripe_account !== merchant.account || details.stripe_customer === null)
      throw new AppError('card_missing');
    return {
      url: await merchant.provider.cardPageUrl(merchant.account, details.stripe_customer, `${payments.origin}/billing?card=changed`),
    };
  }),
  handle('billing.CancelOwnSubscription', async (_request, caller) => {
    return changeSubscription(caller, ownClientOf(caller), (cycle, now, { account }) => {
      if (!account.clients_may_cancel) throw new AppError('cancel_not_allowed');
      cycle.cancel('period_end', now);
    });
  }),
];
