import { defaultLocale, languageOf, locales } from '../languages.ts';
import { plain, wordPattern } from './text.ts';

const patterns = locales.map((locale) => {
  const { frequentWords, letters, requests, names } = languageOf(locale).recognition;
  const letter = letters === undefined ? undefined : new RegExp(letters, 'giu');
  return { locale, words: wordPattern(frequentWords), letter, requests: wordPattern(requests), names: wordPattern(names) };
});

/** The language of a text; English if it cannot be told. */
export function localeOf(text: string): string {
  const searched = plain(text);
  const scores = patterns.map(({ locale, words, letter }) => {
    const letters = letter === undefined ? 0 : (text.match(letter)?.length ?? 0);
    return { locale, score: [...searched.matchAll(words)].length + 0.7 * letters };
  });
  const best = scores.toSorted((one, two) => two.score - one.score)[0];
  return best === undefined || best.score === 0 ? defaultLocale : best.locale;
}

/** The language that a text asks for ("in French", "auf Deutsch"). */
export function askedLocale(text: string): string | undefined {
  const searched = plain(text);
  return patterns.find(({ requests }) => searched.search(requests) >= 0)?.locale;
}

/** The language that a text names ("French", "Deutsch"). */
export function namedLocale(text: string): string | undefined {
  const searched = plain(text);
  return patterns.find(({ names }) => searched.search(names) >= 0)?.locale;
}
