import { languageOf, locales } from '../languages.ts';
import { type SectionName, sectionNames } from '../sections/section-names.ts';
import { plain, wordPattern } from './text.ts';

const namesOf = (kind: SectionName) =>
  locales.flatMap((locale) =>
    languageOf(locale)
      .sections[kind].names.split(',')
      .map((name) => `${name.trim().replaceAll(' ', '_')}~`),
  );
const patterns = sectionNames.map((kind) => ({ kind, pattern: wordPattern(namesOf(kind).join(' ')) }));

interface FoundSection {
  readonly kind: SectionName;
  readonly at: number;
  readonly length: number;
}

/** All kinds of section that a text names in any of the languages, the longest names first. */
export function sectionsIn(text: string): FoundSection[] {
  const searched = plain(text);
  const found = patterns.flatMap(({ kind, pattern }) =>
    [...searched.matchAll(pattern)].map((match): FoundSection => ({ kind, at: match.index, length: match[0].length })),
  );
  const longest = found.toSorted((one, two) => two.length - one.length);
  // "price list" names prices alone, although another kind is called "list".
  return longest.filter(
    (one, index) => !longest.slice(0, index).some((other) => one.at < other.at + other.length && other.at < one.at + one.length),
  );
}

/** The kind of section that a text names; the most exact name wins. */
export const sectionIn = (text: string): SectionName | undefined => sectionsIn(text)[0]?.kind;

const wishable: ReadonlySet<SectionName> = new Set<SectionName>([
  'menu',
  'prices',
  'team',
  'gallery',
  'hours',
  'faq',
  'quotes',
  'news',
  'dates',
  'newsletter',
  'booking',
  'area',
  'jobs',
  'vouchers',
  'season',
  'emergency',
  'links',
  'firstvisit',
  'features',
  'steps',
  'values',
]);

/** The sections that a first prompt asks for, in its order. */
export const wishedSections = (text: string): SectionName[] => [
  ...new Set(
    sectionsIn(text)
      .filter(({ kind }) => wishable.has(kind))
      .toSorted((one, two) => one.at - two.at)
      .map(({ kind }) => kind),
  ),
];
