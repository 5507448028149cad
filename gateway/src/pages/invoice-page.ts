import type { Language } from '@webkiln/contract';
import { escapeHtml } from '@webkiln/http';
import type { IncomingReply } from '@webkiln/rpc';
import type { InvoiceTexts } from '../../gen/texts.ts';
import { securityHeaders } from '../security-headers.ts';
import { invoiceTexts } from '../texts.ts';
import { type Brand, page, pageStyle } from './page.ts';

type Invoice = IncomingReply<'billing.OpenInvoice'>;
type Party = NonNullable<Invoice['issuer']>;

const lines = (text: string | null | undefined): string => (text ? escapeHtml(text).replaceAll('\n', '<br>') : '');

const partyOf = (party: Party | null, t: InvoiceTexts, otherName = ''): string => {
  const { name, address, tax_id } = party ?? {};
  const taxId = tax_id ? escapeHtml(t.taxId({ id: tax_id })) : '';
  return [`<strong>${escapeHtml(name ?? otherName)}</strong>`, lines(address), taxId].filter((line) => line !== '').join('<br>');
};

const stateOf = ({ status, due_on, paid_on }: Invoice, t: InvoiceTexts): readonly [name: string, text: string] => {
  if (status === 'paid') return ['paid', t.states.paid({ day: paid_on ?? '' })];
  if (status === 'refunded') return ['void', t.states.refunded];
  if (status === 'canceled') return ['void', t.states.canceled];
  return ['open', t.states.due({ day: due_on })];
};

const howToPay = (invoice: Invoice, t: InvoiceTexts, path: string): string => {
  const { status, bank_details, number, total, can_pay_by_card, is_being_paid } = invoice;
  if (status !== 'pending' && status !== 'failed') return '';
  if (is_being_paid) return `<section class="pay"><h2>${t.payment}</h2><p>${t.isCharged}</p></section>`;
  const reference = `<p>${t.reference} <strong>${escapeHtml(number)}</strong></p>`;
  const byBank = `<p>${lines(bank_details)}</p>${reference}`;
  if (can_pay_by_card && path !== '') {
    const failed = status === 'failed' ? `<p class="wrong">${t.lastFailed}</p>` : '';
    const card = `${failed}<a class="button" href="${escapeHtml(path)}/pay" rel="nofollow">${t.payByCard({ sum: total })}</a>`;
    return `<section class="pay">${card}${bank_details ? `<h2>${t.orByBank}</h2>${byBank}` : ''}</section>`;
  }
  return `<section class="pay"><h2>${t.howToPay}</h2>${bank_details ? byBank : `<p>${t.askSender}</p>${reference}`}</section>`;
};

/** The page of an invoice, which is made to be printed. `path` is its own address; without one it is for print. */
export function invoicePage(invoice: Invoice, language: Language, brand: Brand, path = ''): string {
  const { number, item, period, net, tax, tax_label, total, issued_on, issuer, customer, note } = invoice;
  const t = invoiceTexts[language];
  const [state, stateText] = stateOf(invoice, t);
  const taxLines = tax
    ? `<tr><th scope="row">${t.net}</th><td>${net}</td></tr><tr><th scope="row">${escapeHtml(tax_label)}</th><td>${tax}</td></tr>`
    : '';
  const title = t.title({ number });
  const main = `<header><h1>${escapeHtml(title)}</h1><p class="state ${state}">${escapeHtml(stateText)}</p></header>
<div class="parties"><p><span>${t.from}</span>${partyOf(issuer, t, brand.name)}</p><p><span>${t.to}</span>${partyOf(customer, t)}</p><p><span>${t.date}</span>${escapeHtml(issued_on)}</p></div>
<table><thead><tr><th scope="col">${t.for}</th><th scope="col">${t.amount}</th></tr></thead>
<tbody><tr><td>${escapeHtml(item)}<br><small>${escapeHtml(period)}</small></td><td>${tax ? net : total}</td></tr></tbody>
<tfoot>${taxLines}<tr class="total"><th scope="row">${t.total}</th><td>${total}</td></tr></tfoot></table>
${howToPay(invoice, t, path)}${note ? `<p class="note">${lines(note)}</p>` : ''}
<p class="hint"><a href="${escapeHtml(path)}/pdf">${t.pdf}</a></p>`;
  return page(language, title, main, brand, '/assets/invoice.css');
}

export const invoiceStyle = `main { max-width: 720px; }
header { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 4px 24px; }
.state { margin: 0; padding: 2px 12px; border: 1px solid var(--line); border-radius: 99px; font-size: 0.9rem; font-weight: 600; color: var(--ink); }
.state.paid { border-color: currentColor; }
.parties { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 8px 24px; margin: 24px 0; }
.parties span { display: block; font-size: 0.85rem; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 10px 0; text-align: left; font-weight: 400; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border: 0; font-size: 0.85rem; color: var(--soft); }
td + td, th + td, th + th { padding-left: 24px; text-align: right; white-space: nowrap; }
tfoot th, small { color: var(--soft); }
.total :is(th, td) { font-size: 1.15rem; font-weight: 650; color: var(--ink); }
h2 { margin: 28px 0 6px; font-size: 1.05rem; }
.note { margin-top: 24px; }
.hint { margin: 28px 0 0; }
@media print { @page { margin: 18mm; } :root { --ground: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; } body { display: block; padding: 0; } main { max-width: none; padding: 0; border: 0; } .hint { display: none; } tr, .pay { break-inside: avoid; } }
`;

const text = (path: string, type: string, content: string) => ({
  path,
  content_type: `${type}; charset=utf-8`,
  content: Buffer.from(content),
});

/** The page with its style sheets, for a browser that prints it; without the logo. */
export const invoiceFiles = (invoice: Invoice, language: Language, brand: Brand) => [
  text('/', 'text/html', invoicePage(invoice, language, brand)),
  ...[text('/assets/page.css', 'text/css', pageStyle), text('/assets/invoice.css', 'text/css', invoiceStyle)],
];

/** A file name of the number's letters and digits alone. */
export const pdfHeaders = (number: string) => [
  ...securityHeaders({ sandbox: [] }),
  ...['Cache-Control', 'no-store', 'Content-Type', 'application/pdf'],
  ...['Content-Disposition', `inline; filename="invoice-${number.replaceAll(/[^\w-]+/g, '-')}.pdf"`],
];
