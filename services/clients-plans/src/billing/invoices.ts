import { timingSafeEqual } from 'node:crypto';
import { AppError, knownLanguage } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { invoiceTexts } from '../texts.ts';
import { defaultSettings, type OrderRecord, orderById, storedAccount } from './billing-store.ts';
import { sumText } from './rules/money.ts';
import { isOpen } from './rules/order.ts';
import { dayText } from './rules/period.ts';

const tokenForm = /^([0-9a-f-]{36})\.([0-9a-f-]{36})\.([\w-]{32})$/;

/** The order whose invoice a link leads to. Throws `invoice_not_found`. */
export async function orderOfToken(token: string): Promise<OrderRecord> {
  const [, org_id = '', id = '', link = ''] = tokenForm.exec(token) ?? [];
  const order = org_id === '' ? null : await orderById({ org_id }, id);
  if (order === null || order.link === '' || !timingSafeEqual(Buffer.from(order.link), Buffer.from(link)))
    throw new AppError('invoice_not_found');
  return order;
}

const openInvoice = handle('billing.OpenInvoice', async ({ token, language: named }) => {
  const order = await orderOfToken(token);
  const { org_id } = order;
  const { time_zone, stripe_ready } = (await storedAccount({ org_id })) ?? { ...defaultSettings, stripe_ready: false };
  const { invoice, number, status, currency, amount, tax } = order;
  const { prefix, issuer, customer, item, note, bank_details, tax_name, tax_rate } = invoice;
  const language = knownLanguage(named);
  const t = invoiceTexts[language];
  const day = (moment: Date) => dayText(moment, time_zone, language);
  const sum = (minor: number) => sumText(minor, currency, language);
  return {
    ...{ org_id, number: `${prefix}${number}`, status, item: item ?? '', issuer, customer, note, bank_details },
    can_pay_by_card: stripe_ready && isOpen(order),
    is_being_paid: order.is_charging && order.charge_at !== null,
    period: t.period({ from: day(order.period_start), to: day(order.period_end) }),
    ...{ net: sum(amount - tax), total: sum(amount) },
    ...(tax_rate !== null && { tax: sum(tax), tax_label: `${tax_name ?? t.tax} ${new Intl.NumberFormat(language).format(tax_rate)} %` }),
    ...{ issued_on: day(order.created_at), due_on: day(order.due_at), paid_on: order.paid_at === null ? undefined : day(order.paid_at) },
  };
});

export const invoiceUseCases = [openInvoice];
