import { readFileSync } from 'node:fs';
import { type Language, languages } from '@webkiln/contract';
import { textsOf } from './texts-of.ts';

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
