import { readTexts } from '@webkiln/texts';
import type { MailsTexts } from '../gen/texts.ts';

/** Texts of mails, by language. */
export const texts = readTexts<MailsTexts>(new URL('./texts/', import.meta.url), 'mails');
