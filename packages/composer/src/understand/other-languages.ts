import { locales, replyOf } from '../languages.ts';
import { plain, wordPattern } from './text.ts';

/** Languages that prompts ask for and the composer does not have; ICU has their names. */
const others =
  'ar bg bn ca cs da el et eu fa fi gl gu he hi hr hu hy id is it ja ka kk km ko lt lv ms nl no pa pl ps pt ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi yi zh';
const codes = others.split(' ').filter((code) => !locales.includes(code));

const namesIn = (locale: string) => new Intl.DisplayNames(locale, { type: 'language' });
const names = locales.flatMap((locale) => codes.map((code) => plain(namesIn(locale).of(code) ?? code)));
const after = 'language|please|and|with|for|but|sprache|bitte|und|mit|fur|aber|svp|et|avec|pour|mais|por|y|con|para|pero';
/** "In Arabic", "auf Polnisch", "traduis en arabe": the name ends a part of what is said. */
const asked = new RegExp(
  `(?<!\\p{L})(?:in|into|to|auf|ins|en|vers|al|a)\\s+(?:the\\s+)?(?:${[...new Set(names)].join('|')})(?=\\s*(?:$|[.,;:!?)»”"]|\\s(?:${after})(?!\\p{L})))`,
  'u',
);

/** Frequent words of prompts in other languages that the four languages do not have. */
const words = wordPattern(
  [
    ...[
      'sito panetteria della delle gli degli il mio negozio ristorante crea_un',
      'padaria uma um nao voce criar loja minha meu restaurante_em',
    ],
    ...['een het voor maak bakkerij mijn onze', 'strone strona stworz piekarni dla moja sklep', 'stranky vytvor pekarnu'],
    ...[
      'och hemsida skapa ett bageri',
      'hjemmeside bageri lag_en og',
      'bir icin sitesi firin yap',
      'pentru o_brutarie creeaza',
      'egy honlap pekseg',
    ],
    ...['buat situs untuk', 'leipomo sivusto tee', 'mot trang tao cho'],
  ].join(' '),
);
const minWords = 2;

const letters = /\p{L}/gu;
const latin = /\p{Script=Latin}/gu;
const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** True if a text is written in another language than the composer's, or asks for one. */
export function isOtherLanguage(text: string): boolean {
  if (count(text, latin) * 2 < count(text, letters)) return true;
  const searched = plain(text);
  return asked.test(searched) || new Set(searched.match(words)).size >= minWords;
}

/** The sentence that says which languages the composer has; undefined if a text needs no other one. */
export const languagesFor = (text: string, locale: string): string | undefined =>
  isOtherLanguage(text)
    ? replyOf(locale, 'languages', {
        value: new Intl.ListFormat(locale).format(locales.map((code) => namesIn(locale).of(code) ?? code)),
      })
    : undefined;
