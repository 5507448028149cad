import { AppError } from '@webkiln/contract';
import { serviceCaller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { scoped } from '@webkiln/store';
import { existingClient } from '../../clients/client-store.ts';
import { OrderModel, type OrderRecord } from '../billing-store.ts';
import { clock } from '../clock.ts';
import { orderOfToken } from '../invoices.ts';
import { invoiceUrl, isOpen } from '../rules/order.ts';
import { applyPayment, merchantOf, type Payments, payerOf } from './apply-payment.ts';

const timeoutMs = 10_000;
/** A page that expires sooner is not shown any more. */
const minLeftMs = 600_000;

/** True while a process charges the card of its client. */
const isBeingCharged = ({ is_charging, charge_at }: OrderRecord) => is_charging && charge_at !== null;

/** The page on which an order is paid by card, and what follows when the client comes back from it. */
export const checkoutUseCases = (payments: Payments) => [
  handle('billing.PayInvoice', async ({ token }) => {
    const order = await orderOfToken(token);
    const { org_id } = order;
    const merchant = await merchantOf(payments, org_id);
    if (merchant === undefined) throw new AppError('stripe_unavailable');
    if (!isOpen(order) || isBeingCharged(order)) throw new AppError('payment_not_open');
    const { checkout } = order;
    if (checkout !== null && checkout.expires_at.getTime() > clock.now().getTime() + minLeftMs) return { url: checkout.url };
    const caller = serviceCaller('clients-plans', org_id, timeoutMs);
    const payer = await payerOf(merchant, await existingClient(caller, order.client_id));
    const opened = await merchant.provider.openCheckout(merchant.account, payer, order, invoiceUrl(payments.origin, org_id, order));
    await scoped(OrderModel, { org_id }).updateOne({ _id: order._id }, { $set: { checkout: opened } });
    return { url: opened.url };
  }),

  // The client is back before the provider's message is here, or that is late.
  handle('billing.ReturnToInvoice', async ({ token }) => {
    const order = await orderOfToken(token);
    const merchant = await merchantOf(payments, order.org_id);
    if (merchant === undefined || order.checkout === null || !isOpen(order)) return {};
    try {
      const payment = await merchant.provider.checkoutPayment(merchant.account, order.checkout.ref);
      if (payment !== null) await applyPayment(merchant, payment);
    } catch (err) {
      logger.warn({ err, org_id: order.org_id, order_id: order._id }, 'a payment could not be looked up; its message will tell');
    }
    return {};
  }),
];
