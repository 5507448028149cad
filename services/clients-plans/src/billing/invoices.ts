import { timingSafeEqual } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { defaultSettings, orderById, storedAccount } from './billing-store.ts';
import { sumText } from './money.ts';
import { dayText } from './period.ts';

const tokenForm = /^([0-9a-f-]{36})\.([0-9a-f-]{36})\.([\w-]{32})$/;

/** The invoice that a link leads to. Throws `invoice_not_found`. */
const openInvoice = handle('billing.OpenInvoice', async ({ token }) => {
  const [, org_id = '', id = '', link = ''] = tokenForm.exec(token) ?? [];
  const order = org_id === '' ? null : await orderById({ org_id }, id);
  if (order === null || order.link === '' || !timingSafeEqual(Buffer.from(order.link), Buffer.from(link)))
    throw new AppError('invoice_not_found');
  const { time_zone } = (await storedAccount({ org_id })) ?? defaultSettings;
  const { invoice, number, status, currency, amount, tax } = order;
  const { prefix, issuer, customer, item, note, bank_details, tax_name, tax_rate } = invoice;
  const day = (moment: Date) => dayText(moment, time_zone);
  return {
    ...{ org_id, number: `${prefix}${number}`, status, item: item ?? '', issuer, customer, note, bank_details },
    period: `${day(order.period_start)} to ${day(order.period_end)}`,
    ...{ net: sumText(amount - tax, currency), total: sumText(amount, currency) },
    ...(tax_rate !== null && { tax: sumText(tax, currency), tax_label: `${tax_name ?? 'Tax'} ${tax_rate} %` }),
    ...{ issued_on: day(order.created_at), due_on: day(order.due_at), paid_on: order.paid_at === null ? undefined : day(order.paid_at) },
  };
});

export const invoiceUseCases = [openInvoice];
