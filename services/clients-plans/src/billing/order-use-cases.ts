import { AppError, wholeListCap } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { assertMatches, etagOf } from '@webkiln/store';
import { type OrderRecord, orderById, orderPage, overdueAt } from './billing-store.ts';
import { billingTransaction } from './change-billing.ts';
import { clock } from './clock.ts';
import { merchantOf, type Payments } from './payments/apply-payment.ts';
import { ProviderError } from './payments/provider.ts';
import { assertMayBecome, isOpen, type OrderState, type OrderStatus, toOrder } from './rules/order.ts';
import { recordRefund, settleOrder } from './settle-order.ts';

async function existingOrder(billing: Parameters<typeof orderById>[0], id: string): Promise<OrderRecord> {
  const order = await orderById(billing, id);
  if (order === null) throw new AppError('order_not_found');
  return order;
}

/**
 * Gives a payment by card back, before that is recorded: a repeat gives nothing back twice. Throws `refund_refused`,
 * and as the record would.
 */
async function giveBack(payments: Payments, caller: Caller, order: OrderRecord): Promise<void> {
  if (order.provider === 'manual' || order.provider_ref === null || order.status === 'refunded') return;
  assertMatches(caller, order);
  assertMayBecome(order, 'refunded');
  const merchant = await merchantOf(payments, order.org_id);
  if (merchant === undefined) throw new AppError('stripe_unavailable');
  try {
    await merchant.provider.refund(merchant.account, order.provider_ref);
  } catch (error) {
    throw error instanceof ProviderError ? new AppError('refund_refused', [], { cause: error }) : error;
  }
}

/** Nobody pays an order by card that is paid otherwise, or canceled. Who is faster gets the payment back. */
async function closePage(payments: Payments, { org_id, _id, checkout }: OrderRecord): Promise<void> {
  const merchant = checkout === null ? undefined : await merchantOf(payments, org_id);
  if (merchant === undefined || checkout === null) return;
  await merchant.provider.closeCheckout(merchant.account, checkout.ref).catch((err: unknown) => {
    logger.warn({ err, org_id, order_id: _id }, 'the page of a payment could not be closed; a payment there is given back');
  });
}

/** `payments.origin` is where the platform is: links to invoices lead there. */
export function orderUseCases(payments: Payments) {
  const { origin } = payments;
  const shown = (caller: Caller, order: OrderState) => toOrder(origin, caller.principal.org_id, order);

  const listOrders = handle('billing.ListOrders', async ({ limit = wholeListCap, offset, cursor, client_id, status, overdue }, caller) => {
    const isOverdue = overdue === 'true';
    if (isOverdue && status !== undefined && !isOpen({ status: status as OrderStatus })) return { orders: [], total: 0, next_cursor: '' };
    const filter = {
      ...(client_id !== undefined && { client_id }),
      ...(isOverdue && overdueAt(clock.now())),
      ...(status !== undefined && { status: status as OrderStatus }),
    };
    const { records, total, next_cursor } = await orderPage(caller, filter, { limit, offset, cursor });
    return { orders: records.map((order) => shown(caller, order)), total, next_cursor };
  });

  const getOrder = handle('billing.GetOrder', async ({ order_id }, caller) => {
    const order = await existingOrder(caller, order_id);
    return { order: shown(caller, order), etag: etagOf(order) };
  });

  const updateOrder = handle('billing.UpdateOrder', async ({ order_id, status }, caller) => {
    if (status === 'refunded') await giveBack(payments, caller, await existingOrder(caller, order_id));
    const { before, ...reply } = await billingTransaction(
      caller.principal.org_id,
      async (billing) => {
        const order = await existingOrder(billing, order_id);
        assertMatches(caller, order);
        const wanted = (status ?? order.status) as OrderStatus;
        if (wanted === order.status) return { before: order, order: shown(caller, order), etag: etagOf(order) };
        assertMayBecome(order, wanted);
        if (isOpen(order)) await settleOrder(origin, billing, caller, order, wanted, wanted === 'paid' ? { provider: 'manual' } : {});
        else await recordRefund(billing, caller, order);
        const changed = await existingOrder(billing, order_id);
        return { before: order, order: shown(caller, changed), etag: etagOf(changed) };
      },
      caller,
    );
    if (isOpen(before) && status !== 'failed') await closePage(payments, before);
    return reply;
  });

  return [listOrders, getOrder, updateOrder];
}
