import type { InEachLocale, Locale } from '../../locale.ts';
import { de, deSuggestions } from './de.ts';
import { en, enSuggestions } from './en.ts';
import { es, esSuggestions } from './es.ts';
import { fr, frSuggestions } from './fr.ts';
import type { MessageKey, Messages } from './message-key.ts';

const messages: InEachLocale<Messages> = { en, de, fr, es };
const suggestions: InEachLocale<readonly string[]> = { en: enSuggestions, de: deSuggestions, fr: frSuggestions, es: esSuggestions };

/** A message with its values filled in, as plain text. */
export const messageOf = (locale: Locale, key: MessageKey, values: Readonly<Record<string, string>> = {}): string =>
  messages[locale][key].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');

/** Three sentences that the composer understands, other ones for other seeds. */
export function suggestionsOf(locale: Locale, at: number): [string, string, string] {
  const all = suggestions[locale];
  const chosen = (offset: number) => all[(at + offset) % all.length] ?? '';
  return [chosen(0), chosen(1), chosen(2)];
}
