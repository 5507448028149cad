import { languageOf, locales } from '../languages.ts';
import { plain, wordPattern } from './text.ts';

const maxWords = 4;

const words = locales.map((locale) => languageOf(locale).business);
const sourceOf = (key: keyof (typeof words)[number]) => wordPattern(words.map((each) => each[key]).join(' ')).source;
const introduced = new RegExp(`${sourceOf('before')}\\s+`, 'gu');
const article = new RegExp(`^(?:${sourceOf('articles')}\\s+)+`, 'u');
const request = new RegExp(`^(?:(?:${sourceOf('requests')})\\s+)+`, 'u');
const site = new RegExp(sourceOf('site'), 'u');
const end = new RegExp(`${sourceOf('ends')}|${sourceOf('offers')}|[.,;:!?()\\n"“”„«»–—]|\\s-\\s|\\d`, 'u');
const offered = new RegExp(`${sourceOf('offers')}\\s*:?\\s+`, 'u');

const letters = (text: string): string =>
  text.replace(/[^\n -~]/gu, (one) => (plain(one).length === one.length ? plain(one) : one)).toLowerCase();

/** The words before the first that goes on with something else: "tattoo studio" of "tattoo studio in Leeds". */
function nounAt(text: string): string | undefined {
  const searched = letters(text);
  const skipped = searched.match(article)?.[0].length ?? 0;
  const rest = searched.slice(skipped);
  const stop = rest.search(end);
  const found = text
    .slice(skipped, stop < 0 ? undefined : skipped + stop)
    .trim()
    .split(/\s+/);
  const noun = found.slice(0, maxWords).join(' ');
  return noun === '' || found.length > maxWords || site.test(letters(noun)) ? undefined : noun;
}

/** What a prompt calls its business, in its own words; for kinds that are not known. */
export function nounIn(prompt: string): string | undefined {
  const searched = letters(prompt);
  for (const match of searched.matchAll(introduced)) {
    const noun = nounAt(prompt.slice(match.index + match[0].length));
    if (noun !== undefined) return noun;
  }
  const asked = searched.match(request)?.[0].length ?? 0;
  const named = prompt.slice(asked);
  const before = letters(named).search(site);
  const noun = before > 0 ? nounAt(named.slice(0, before)) : before < 0 ? nounAt(named) : undefined;
  return noun !== undefined && noun.length <= 40 ? noun : undefined;
}

/** What a prompt says that the business offers: "we offer blackwork, fine line and cover-ups". */
export function offersIn(prompt: string): string[] {
  const at = letters(prompt).match(offered);
  if (at?.index === undefined) return [];
  const list = prompt.slice(at.index + at[0].length).split(/[.!?\n;]/)[0] ?? '';
  const items = list
    .split(/,|\s(?:and|und|et|y)\s/u)
    .map((item) => item.trim().slice(0, 60))
    .filter((item) => /^[\p{L}\d][\p{L}\d '’&/-]*$/u.test(item) && item.split(/\s+/).length <= 5);
  return items.length < 2 ? [] : items.slice(0, 8).map((item) => `${item.charAt(0).toLocaleUpperCase()}${item.slice(1)}`);
}
