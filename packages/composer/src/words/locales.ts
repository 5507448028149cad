import type { KindName } from '../kinds/names.ts';
import type { InEachLocale, Locale } from '../locale.ts';
import { de } from './de/index.ts';
import { en } from './en/index.ts';
import { es } from './es/index.ts';
import { fr } from './fr/index.ts';
import type { LocaleWords } from './words.ts';

export const words: InEachLocale<LocaleWords> = { en, de, fr, es };

/** Replaces `{name}` and the like, and chooses `[du|Sie]` by how the kind addresses visitors in this language. */
export function fill(text: string, locale: Locale, kind: KindName, values: Readonly<Record<string, string | undefined>>): string {
  // French sets a narrow no-break space before ? ! ; and », and after «.
  const spaced = locale === 'fr' ? text.replace(/ ([?!;:»])/g, '\u202f$1').replaceAll('« ', '«\u202f') : text;
  const isInformal = words[locale].informalKinds.has(kind);
  // A sentence about the place makes no sense without one.
  const said = values.place === undefined ? spaced.replace(/[^.!?]*\{place\}[^.!?]*[.!?]\s*/g, '') : spaced;
  return said
    .replace(/\[([^|\]]*)\|([^\]]*)\]/g, (_, informal: string, formal: string) => (isInformal ? informal : formal))
    .replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '')
    .trim();
}
