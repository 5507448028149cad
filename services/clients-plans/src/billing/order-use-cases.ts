import { AppError, wholeListCap } from '@webkiln/contract';
import { auditEvent, type Caller, Change } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { assertMatches, etagOf, saveChange } from '@webkiln/store';
import { existingClient } from '../clients/client-store.ts';
import { OrderModel, type OrderRecord, orderById, orderPage, subscriptionById } from './billing-store.ts';
import { type Billing, billingTransaction, runOver, saveRunOf } from './change-billing.ts';
import { clock } from './clock.ts';
import { assertMayBecome, isOpen, type OrderState, type OrderStatus, toOrder } from './order.ts';
import { countInMonth } from './revenue.ts';

const audited = (caller: Caller, order: OrderState) =>
  auditEvent(caller, 'order.changed', { kind: 'order', id: order._id, name: `${order.invoice.prefix}${order.number}` });

async function existingOrder(billing: Parameters<typeof orderById>[0], id: string): Promise<OrderRecord> {
  const order = await orderById(billing, id);
  if (order === null) throw new AppError('order_not_found');
  return order;
}

/** Gives money back. The subscription and its period go on. */
async function refund(billing: Billing, caller: Caller, order: OrderRecord): Promise<void> {
  const now = clock.now();
  await saveChange(OrderModel, billing, order, new Change({ status: 'refunded' as const, refunded_at: now }, [audited(caller, order)]));
  await countInMonth(billing, billing.account.time_zone, now, { refunded: order.amount });
  const subscription = await subscriptionById(billing, order.subscription_id);
  if (subscription === null || subscription.status === 'canceled') return;
  const run = await runOver(billing, subscription);
  run.cycle.refund(order);
  await saveRunOf(billing, await existingClient(billing, order.client_id), run);
}

/** What a payment, a failure or a cancelation of an open order means for its subscription and its client. */
async function settle(origin: string, billing: Billing, caller: Caller, stored: OrderRecord, status: OrderStatus): Promise<void> {
  const subscription = await subscriptionById(billing, stored.subscription_id);
  if (subscription === null) throw new AppError('order_not_found');
  const client = await existingClient(billing, stored.client_id);
  const run = await runOver(billing, subscription);
  const order = run.orders.find(({ _id }) => _id === stored._id);
  if (order === undefined) throw new AppError('edited_meanwhile');
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

/** `origin` is where the platform is: links to invoices lead there. */
export function orderUseCases(origin: string) {
  const shown = (caller: Caller, order: OrderState) => toOrder(origin, caller.principal.org_id, order);

  const listOrders = handle('billing.ListOrders', async ({ limit = wholeListCap, offset, cursor, client_id, status }, caller) => {
    const filter = { ...(client_id !== undefined && { client_id }), ...(status !== undefined && { status: status as OrderStatus }) };
    const { records, total, next_cursor } = await orderPage(caller, filter, { limit, offset, cursor });
    return { orders: records.map((order) => shown(caller, order)), total, next_cursor };
  });

  const getOrder = handle('billing.GetOrder', async ({ order_id }, caller) => {
    const order = await existingOrder(caller, order_id);
    return { order: shown(caller, order), etag: etagOf(order) };
  });

  const updateOrder = handle('billing.UpdateOrder', ({ order_id, status }, caller) =>
    billingTransaction(
      caller.principal.org_id,
      async (billing) => {
        const order = await existingOrder(billing, order_id);
        assertMatches(caller, order);
        const wanted = (status ?? order.status) as OrderStatus;
        if (wanted === order.status) return { order: shown(caller, order), etag: etagOf(order) };
        assertMayBecome(order, wanted);
        if (isOpen(order)) await settle(origin, billing, caller, order, wanted);
        else await refund(billing, caller, order);
        const changed = await existingOrder(billing, order_id);
        return { order: shown(caller, changed), etag: etagOf(changed) };
      },
      caller,
    ),
  );

  return [listOrders, getOrder, updateOrder];
}
