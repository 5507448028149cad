import { readTexts } from '@webkiln/texts';
import type { InvoicesTexts, MailsTexts } from '../gen/texts.ts';

const folder = new URL('./texts/', import.meta.url);

/** Texts of mails, by language. */
export const texts = readTexts<MailsTexts>(folder, 'mails');

/** Texts of what invoices say, by language. */
export const invoiceTexts = readTexts<InvoicesTexts>(folder, 'invoices');
