import { readTexts } from '@webkiln/texts';
import type { PlainPagesTexts } from '../gen/texts.ts';

/** Texts of the gateway's own pages, by language. */
export const texts = readTexts<PlainPagesTexts>(new URL('./texts/', import.meta.url), 'plain-pages');
