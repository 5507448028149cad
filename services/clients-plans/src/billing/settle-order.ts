import { AppError } from '@webkiln/contract';
import { auditEvent, type Caller, Change } from '@webkiln/messages';
import { saveChange } from '@webkiln/store';
import { existingClient } from '../clients/client-store.ts';
import { OrderModel, type OrderRecord, subscriptionById } from './billing-store.ts';
import { type Billing, runOver } from './change-billing.ts';
import { clock } from './clock.ts';
import { countInMonth } from './revenue.ts';
import { type OrderState, type OrderStatus, toOrder } from './rules/order.ts';
import { saveRunOf } from './save-runs.ts';

const audited = (caller: Caller, order: OrderState) =>
  auditEvent(caller, 'order.changed', { kind: 'order', id: order._id, name: `${order.invoice.prefix}${order.number}` });

/** What is recorded with an order besides its status. */
type Recorded = Partial<Pick<OrderState, 'provider' | 'provider_ref' | 'attempts' | 'is_charging'>>;

/**
 * What a payment, a failure or a cancelation of an open order means for its subscription and its client. `origin` is
 * where the platform is.
 */
export async function settleOrder(
  origin: string,
  billing: Billing,
  caller: Caller,
  stored: OrderRecord,
  status: OrderStatus,
  recorded: Recorded = {},
): Promise<void> {
  const subscription = await subscriptionById(billing, stored.subscription_id);
  if (subscription === null) throw new AppError('order_not_found');
  const client = await existingClient(billing, stored.client_id);
  const run = await runOver(billing, subscription);
  const order = run.orders.find(({ _id }) => _id === stored._id);
  if (order === undefined) throw new AppError('edited_meanwhile');
  Object.assign(order, recorded);
  const now = clock.now();
  if (status === 'paid') run.cycle.pay(order, now);
  else if (status === 'failed') run.cycle.fail(order, now);
  else run.cycle.cancelOrder(order, now);
  await saveRunOf(billing, client, run, {
    ofOrder: (changed, after) =>
      changed._id !== stored._id
        ? []
        : [
            audited(caller, changed),
            ...(status === 'paid'
              ? [{ type: 'payment.received' as const, data: { order: toOrder(origin, billing.org_id, changed), client: after } }]
              : []),
          ],
  });
}

/** Records that money was given back. The subscription and its period go on. */
export async function recordRefund(billing: Billing, caller: Caller, order: OrderRecord): Promise<void> {
  const now = clock.now();
  await saveChange(OrderModel, billing, order, new Change({ status: 'refunded' as const, refunded_at: now }, [audited(caller, order)]));
  await countInMonth(billing, billing.account.time_zone, now, { refunded: order.amount });
  const subscription = await subscriptionById(billing, order.subscription_id);
  if (subscription === null || subscription.status === 'canceled') return;
  const run = await runOver(billing, subscription);
  run.cycle.refund(order);
  await saveRunOf(billing, await existingClient(billing, order.client_id), run);
}
