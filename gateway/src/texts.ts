import { readTexts } from '@webkiln/texts';
import type { InvoiceTexts, PlainPagesTexts } from '../gen/texts.ts';

const folder = new URL('./texts/', import.meta.url);

/** Texts of the gateway's own pages, by language. */
export const texts = readTexts<PlainPagesTexts>(folder, 'plain-pages');

/** Texts of the page of an invoice, by language. */
export const invoiceTexts = readTexts<InvoiceTexts>(folder, 'invoice');
