export const locales = ['en', 'de', 'fr', 'es'] as const;
export type Locale = (typeof locales)[number];
export type InEachLocale<Value> = Readonly<Record<Locale, Value>>;
