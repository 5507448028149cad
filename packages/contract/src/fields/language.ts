import { oneOf } from './fields.ts';

/** The languages of the dashboard, the pages and the mails, by their ISO 639-1 codes. */
export const languages = ['en', 'de', 'fr', 'es'] as const;
export type Language = (typeof languages)[number];
export const defaultLanguage: Language = 'en';

export const Language = oneOf(languages);
