import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { defaultLanguage, type Language, languages } from '@webkiln/contract';
import { acceptedLanguage } from '@webkiln/http';
import { textsOf } from './texts-of.ts';

/** The cookie of the language that was chosen in a browser. The dashboard's scripts write it. */
const chosen = new RegExp(`(?:^|; )webkiln_language=(${languages.join('|')})(?:;|$)`);

/** The language that was chosen in a browser, else the first of its preferences that we have; undefined without one. */
export const browserLanguage = ({ cookie, 'accept-language': header }: IncomingHttpHeaders): Language | undefined =>
  (chosen.exec(cookie ?? '')?.[1] ?? acceptedLanguage(header, languages)) as Language | undefined;

/** The language of a page for a browser. */
export const languageOf = (headers: IncomingHttpHeaders): Language => browserLanguage(headers) ?? defaultLanguage;

/**
 * Reads an area's texts in every language: `<folder><language>/<area>.json`. The folder is the URL of `./texts/`
 * beside the module, written as a literal, by which bundles find it.
 */
export const readTexts = <T>(folder: URL, area: string): Readonly<Record<Language, T>> =>
  Object.fromEntries(
    languages.map((language) => [
      language,
      textsOf<T>(language, JSON.parse(readFileSync(new URL(`${language}/${area}.json`, folder), 'utf8'))),
    ]),
  ) as Record<Language, T>;
