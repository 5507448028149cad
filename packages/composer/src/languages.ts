import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import type { KindName } from './kinds.ts';
import { impossible, Language, type Reply } from './language-schema.ts';
import { wordPattern } from './understand/text.ts';

/** The language of a text that cannot be told, and the one that the others are compared with. */
export const defaultLocale = 'en';

/**
 * Reads each `<locale>.json` of a folder, by rank. Throws an error that names each key that is missing or unknown,
 * and each text whose placeholders are not those of English.
 */
export function readLanguages(folder: URL): ReadonlyMap<string, Language> {
  const read = (file: string, schema: z.ZodType<Language>): Language => {
    const { data, error } = schema.safeParse(JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
    if (data === undefined) throw new Error(`${file} is no complete language:\n${z.prettifyError(error)}`);
    return data;
  };
  const english = read(`${defaultLocale}.json`, Language);
  const likeEnglish = Language.superRefine((language, context) => {
    for (const key of ['wishes', 'business', 'time', 'looks', 'interface', 'sections', 'kinds', 'replies'] as const)
      compareTexts(english[key], language[key], [key], context);
  });
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const all = files.map((file) => [file.replace(/\.json$/, ''), read(file, likeEnglish)] as const);
  return new Map(all.toSorted(([, one], [, two]) => one.rank - two.rank));
}

const placeholdersOf = (said: string) => [...new Set(said.match(/\{\w+\}/g))].toSorted().join(' ');

/** Compares each text at `path` with the English one. */
function compareTexts(english: unknown, other: unknown, path: (string | number)[], context: z.RefinementCtx): void {
  const refuse = (message: string) => context.addIssue({ code: 'custom', path, message });
  if (english === undefined || other === undefined) {
    if (english !== other) refuse(english === undefined ? 'English has no such text' : 'is missing: English has it');
  } else if (typeof english === 'string' && typeof other === 'string') {
    const wanted = placeholdersOf(english);
    if (placeholdersOf(other) !== wanted) refuse(wanted === '' ? 'must have no placeholders' : `must have the placeholders ${wanted}`);
  } else {
    const [one, two] = [english as Record<string, unknown>, other as Record<string, unknown>];
    for (const key of new Set([...Object.keys(one), ...Object.keys(two)])) compareTexts(one[key], two[key], [...path, key], context);
  }
}

const languages = readLanguages(new URL('./languages/', import.meta.url));
/** The codes of all languages, the one with the lowest rank first. */
export const locales: readonly string[] = [...languages.keys()];

/** Throws if there is no such language. */
export function languageOf(locale: string): Language {
  const language = languages.get(locale);
  if (language === undefined) throw new Error(`there is no language ${locale}`);
  return language;
}

/** Replaces `{name}` and the like, and chooses `[du|Sie]` by how the kind addresses visitors in this language. */
export function fill(said: string, locale: string, kind: KindName, values: Readonly<Record<string, string | undefined>>): string {
  const { hasNarrowSpaces = false, informalKinds } = languageOf(locale);
  const spaced = hasNarrowSpaces ? said.replace(/ ([?!;:»])/g, '\u202f$1').replaceAll('« ', '«\u202f') : said;
  const isInformal = informalKinds.includes(kind);
  // A sentence about the place makes no sense without one.
  const placed = values.place === undefined ? spaced.replace(/[^.!?]*\{place\}[^.!?]*[.!?]\s*/g, '') : spaced;
  return placed
    .replace(/\[([^|\]]*)\|([^\]]*)\]/g, (_, informal: string, formal: string) => (isInformal ? informal : formal))
    .replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '')
    .trim();
}

/** The working name of a business of a kind in a place. */
export function provisionalName(locale: string, kind: KindName, place: string, ownNoun?: string): string {
  const { kinds, provisionalName: pattern } = languageOf(locale);
  const { noun, name } = ownNoun === undefined ? kinds[kind] : { noun: ownNoun, name: ownNoun };
  const values: Readonly<Record<string, string>> = { noun, Noun: noun.replace(/ \w/g, (letter) => letter.toUpperCase()), name, place };
  return pattern.replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '');
}

const cannot = impossible.map((name) => ({
  name,
  pattern: wordPattern(
    [...languages.values()]
      .flatMap(({ wishes }) => wishes.cannot[name].names.split(','))
      .map((one) => one.trim().replaceAll(' ', '_'))
      .join(' '),
  ),
}));

/** What is said of a wish that no composed site can have, by the words of any language; undefined for other texts. */
export function impossibleIn(searched: string, locale: string): string | undefined {
  const found = cannot.find(({ pattern }) => searched.search(pattern) >= 0);
  return found && languageOf(locale).wishes.cannot[found.name].reply;
}

/** A reply with its values filled in, as plain text. */
export const replyOf = (locale: string, reply: Reply, values: Readonly<Record<string, string>> = {}): string =>
  languageOf(locale).replies[reply].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');

/** Three sentences that the composer understands, other ones for other seeds. */
export function suggestionsOf(locale: string, at: number): [string, string, string] {
  const { suggestions } = languageOf(locale);
  const chosen = (offset: number) => suggestions[(at + offset) % suggestions.length] ?? '';
  return [chosen(0), chosen(1), chosen(2)];
}
