import { readTexts } from '@webkiln/texts';
import type { MailsTexts, PagesTexts } from '../gen/texts.ts';

const folder = new URL('./texts/', import.meta.url);

/** Texts of mails, by language. */
export const texts = readTexts<MailsTexts>(folder, 'mails');

/** Texts of the authorization server's pages, by language. */
export const pageTexts = readTexts<PagesTexts>(folder, 'pages');
