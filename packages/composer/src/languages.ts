import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { type KindName, kindNames } from './kinds.ts';
import { sectionNames } from './sections/section-names.ts';
import { fontNames, themeNames } from './themes/theme.ts';
import { wordPattern } from './understand/text.ts';

const text = z.string();
/** Words by which something is recognised, as `wordPattern` reads them: without accents, in lower case. */
const patternWords = z.string().regex(/^\S/);
const pair = z.tuple([text, text]).readonly();
const pairs = z.array(pair).min(1).readonly();

/** What a site of one kind says. Nothing here may be a fact that only the business knows. */
const KindWords = z.strictObject({
  /** The word for the business, as in "Bakery in Lyon". */
  noun: text,
  /** A name that the site has until its owner says the real one. */
  name: text,
  heads: z.tuple([text, text], text).readonly(),
  leads: z.tuple([text, text], text).readonly(),
  /** The name of the page of offers, and its heading. */
  offersLabel: text,
  offersHead: text,
  offers: pairs,
  about: pair,
  action: text,
  /** What the drawings show. */
  image: text,
});

/**
 * What a kind of section says. `{name}`, `{place}` and `{noun}` are replaced; `[du|Sie]` is chosen by how the kind
 * addresses visitors.
 */
const SectionWords = z.strictObject({
  /** The words by which users ask for the section, with commas between them. */
  names: text,
  heading: text,
  text,
  items: pairs.optional(),
  action: text.optional(),
  /** Asks the owner for what is missing; visitors never see it. The beginning of a wish, and what follows its colon. */
  placeholder: text.optional(),
});

const InterfaceWords = z.strictObject({
  ...{ home: text, about: text, contact: text, imprint: text, privacy: text },
  ...{ skip: text, mainNavigation: text, footerNavigation: text },
  ...{ yourName: text, yourEmail: text, yourMessage: text, wishedDate: text, leaveEmpty: text, send: text, subscribe: text },
  ...{ backHome: text, phone: text, email: text, address: text, hours: text, showOnMap: text, more: text },
  /** "Bakery in Lyon" */
  nounIn: text,
  /** Asks the owner for the name. */
  namePlaceholder: text,
});

/** What no composed site can have: asked for, it is named as not done. */
const impossible = ['calendar', 'shop', 'payment', 'chat', 'video', 'photo', 'accounts'] as const;

/** How a message is read that holds several wishes. */
const WishWords = z.strictObject({
  /** Words between two wishes. */
  joints: patternWords,
  /** "with": what follows is a wish of its own if it says how something looks. */
  withs: patternWords,
  /** Words that a wish begins with. */
  starts: patternWords,
  /** Words that may stand before those, and say nothing. */
  openers: patternWords,
  /** Words that are no wish, alone or together. */
  politeness: patternWords,
  /** What a fact or a text is called at the beginning of a wish. */
  subjects: patternWords,
  /** Words that turn a wish about the look into its opposite. */
  negations: patternWords,
  /** Words for the page or section of the wish before. */
  pronouns: patternWords,
  /** "For the header, use green": words by which a part says where the next one applies. */
  places: patternWords,
  /** Words with commas between them, and what is said about them. */
  cannot: z.record(z.enum(impossible), z.strictObject({ names: text, reply: text })),
});

/** How a prompt says what kind of business it is about, in its own words. */
const BusinessWords = z.strictObject({
  /** Words before what the business is called: "for", "we are". */
  before: patternWords,
  articles: patternWords,
  /** Words by which a prompt asks for a site. */
  requests: patternWords,
  site: patternWords,
  /** Words by which a prompt goes on. */
  ends: patternWords,
  /** Words before what the business offers. */
  offers: patternWords,
});

/** How days and times are read and written. */
const TimeWords = z.strictObject({
  /** Monday first. A word of two letters counts beside a time or another day alone. */
  days: z.array(patternWords).length(7),
  names: z.array(text).length(7),
  everyDay: text,
  closed: text,
  /** Of `{hour}` and `{minute}`. */
  clock: text,
  daily: patternWords,
  weekdays: patternWords,
  weekend: patternWords,
  shut: patternWords,
  /** Words that say that a text is about opening hours. */
  subject: patternWords,
});

const replies = [
  ...(['translated', 'renamed', 'titleChanged', 'textChanged', 'factAdded', 'font', 'direction', 'layout'] as const),
  ...(['headerColor', 'backgroundColor', 'accentColor', 'darkScheme', 'lightScheme', 'autoScheme', 'shortTexts', 'longTexts'] as const),
  ...(['sectionAdded', 'sectionAddedHidden', 'sectionRemoved', 'sectionRestored', 'sectionMoved'] as const),
  ...(['pageAdded', 'pageRemoved', 'pageRenamed', 'removedBefore', 'pageRemovedBefore', 'alreadyThere', 'notThere'] as const),
  ...(['neverRemoved', 'pageFull', 'tooManyPages', 'pageStays', 'keptByHand', 'blockedByHand', 'notUnderstood'] as const),
  ...([
    'notDone',
    'oneAtATime',
    'colorPart',
    'tooManyWishes',
    'pageMoved',
    'sectionMovedHidden',
    'ready',
    'onlyYouKnow',
    'introduction',
    'foreign',
  ] as const),
] as const;
export type Reply = (typeof replies)[number];

/** A language: everything that the composer says in it, and by what it recognises it. */
const Language = z.strictObject({
  /** A text that fits several languages equally is taken for the one with the lowest rank. */
  rank: z.int(),
  recognition: z.strictObject({
    /** Short words, and words of wishes, that only this language has. */
    frequentWords: patternWords,
    /** A regular expression of letters that only this language has. */
    letters: text.optional(),
    /** "in French", in every language. */
    requests: patternWords,
    /** "French", in every language. */
    names: patternWords,
  }),
  /** A narrow no-break space before ? ! ; : and », and after «. */
  hasNarrowSpaces: z.boolean().optional(),
  /** Kinds that address visitors informally (du, tú). */
  informalKinds: z.array(z.enum(kindNames)),
  /** The working name of a business of which only the place is known, of `{noun}`, `{Noun}`, `{name}` and `{place}`. */
  provisionalName: text,
  /** Paths of the pages. They stay when a site is translated, so that links from elsewhere keep working. */
  slugs: z.strictObject({ offers: text, about: text, contact: text, imprint: text, privacy: text }),
  wishes: WishWords,
  business: BusinessWords,
  time: TimeWords,
  /** What replies call fonts and directions. */
  looks: z.strictObject({ fonts: z.record(z.enum(fontNames), text), directions: z.record(z.enum(themeNames), text) }),
  interface: InterfaceWords,
  sections: z.record(z.enum(sectionNames), SectionWords),
  kinds: z.record(z.enum(kindNames), KindWords),
  /** What an edit answers, with values in braces. */
  replies: z.record(z.enum(replies), text),
  /** Sentences that the composer understands. */
  suggestions: z.array(text).min(3),
});
type Language = z.infer<typeof Language>;
export type Pair = z.infer<typeof pair>;
export type KindWords = z.infer<typeof KindWords>;
export type SectionWords = z.infer<typeof SectionWords>;
export type InterfaceWords = z.infer<typeof InterfaceWords>;

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

/** What is said about a wish that no composed site can have, by the words of any language; undefined for other texts. */
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
