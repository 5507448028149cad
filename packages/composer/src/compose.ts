import type { ListedPicture } from '@webkiln/contract';
import { unmentioned } from './edit/edit-pictures.ts';
import { kinds, plans } from './kinds.ts';
import { impossibleIn, languageOf, locales, provisionalName, replyOf } from './languages.ts';
import { placeholdersOf } from './placeholders.ts';
import { pick } from './random.ts';
import { renderFiles, specificationFile, withHashes } from './render/render-site.ts';
import type { SectionName } from './sections/section-names.ts';
import type { Site, SitePage } from './site.ts';
import type { ThemeName } from './themes/theme.ts';
import { factsIn } from './understand/facts.ts';
import { kindOf } from './understand/kind-of.ts';
import { askedLocale, localeOf } from './understand/locale-of.ts';
import { colorIn, fontIn, lengthIn, schemeIn, themeIn } from './understand/look.ts';
import { nameIn, placeIn } from './understand/name-and-place.ts';
import { languagesFor } from './understand/other-languages.ts';
import { wishedSections } from './understand/section-in.ts';
import { cleaned, plain, wordPattern } from './understand/text.ts';

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
function nounIn(prompt: string): string | undefined {
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
function offersIn(prompt: string): string[] {
  const at = letters(prompt).match(offered);
  if (at?.index === undefined) return [];
  const list = prompt.slice(at.index + at[0].length).split(/[.!?\n;]/)[0] ?? '';
  const items = list
    .split(/,|\s(?:and|und|et|y)\s/u)
    .map((item) => item.trim().slice(0, 60))
    .filter((item) => /^[\p{L}\d][\p{L}\d '’&/-]*$/u.test(item) && item.split(/\s+/).length <= 5);
  return items.length < 2 ? [] : items.slice(0, 8).map((item) => `${item.charAt(0).toLocaleUpperCase()}${item.slice(1)}`);
}

/** The files of a composed site by path, the specification included, and the specification itself. */
export interface ComposedSite {
  readonly files: ReadonlyMap<string, string>;
  readonly site: Site;
  /** That the site is ready, in its language, and what it cannot have; its last words introduce the suggestions. */
  readonly did: string;
  readonly suggestions: readonly string[];
}

const maxSuggestions = 4;

const page = (id: string, slug: string, sections: readonly SectionName[], isListed: boolean): SitePage => ({
  id,
  slug,
  isListed,
  sections: sections.map((kind) => ({ kind })),
});

/** The pages of a kind; what the prompt asks for and no page has comes on the home page, before its end. */
function planPages(
  seed: string,
  kind: Site['kind'],
  locale: string,
  wished: readonly SectionName[],
  offered: readonly string[],
): SitePage[] {
  const { homes, offers, about, contact } = plans[kinds[kind].family];
  const home = pick(`${seed}:home`, homes);
  const more = wished.filter((section) => !home.includes(section));
  const slug = languageOf(locale).slugs;
  const items = offered.map((title) => ({ title, text: '' }));
  const withOffers = (planned: SitePage): SitePage => ({
    ...planned,
    sections: planned.sections.map((section) => (section.kind === 'offers' && items.length > 0 ? { ...section, items } : section)),
  });
  return [
    page('home', '', [...home.slice(0, -1), ...more, ...home.slice(-1)], true),
    page('offers', slug.offers, offers, true),
    page('about', slug.about, about, true),
    page('contact', slug.contact, contact, true),
    page('imprint', slug.imprint, ['imprint'], false),
    page('privacy', slug.privacy, ['privacy'], false),
    page('thanks', 'thanks', ['thanks'], false),
    page('notfound', '404', ['notfound'], false),
  ].map(withOffers);
}

/** What the business is called until its owner says its name: by what it is, and where. */
function workingName(locale: string, kind: Site['kind'], place: string | undefined, noun: string | undefined): string {
  if (place !== undefined && (kind !== 'business' || noun !== undefined)) return provisionalName(locale, kind, place, noun);
  return noun ?? languageOf(locale).kinds[kind].name;
}

/**
 * Composes a whole site from one sentence. Deterministic: equal arguments give equal files. Only the first 2,000
 * characters of the
 * prompt are read. What the prompt does not state is not made up: `site.placeholders` asks for it.
 * @param options.seed varies words, theme and drawings, for example the project's id
 * @param options.pictures pictures of the owner: a logo, one for the top of the home page, or several for the gallery
 * @param options.locale the language of the site; without it, the one that the prompt asks for or is written in
 */
export function compose(options: {
  readonly prompt: string;
  readonly seed: string;
  readonly locale?: string;
  readonly pictures?: readonly ListedPicture[];
}): ComposedSite {
  const prompt = cleaned(options.prompt);
  const seed = options.seed.slice(0, 100).toWellFormed();
  const kind = kindOf(prompt);
  const locale = options.locale ?? askedLocale(prompt) ?? localeOf(prompt);
  const place = placeIn(prompt);
  const given = nameIn(prompt);
  const accent = colorIn(prompt)?.hex;
  const direction: ThemeName = themeIn(prompt) ?? pick(`${seed}:direction`, [kinds[kind].themes[0], ...kinds[kind].themes]);
  const called = kind === 'business' ? nounIn(prompt) : undefined;
  const noun =
    called === undefined || given?.includes(called) === true ? undefined : `${called.charAt(0).toLocaleUpperCase()}${called.slice(1)}`;
  const bare: Site = {
    version: 1,
    seed,
    kind,
    locale,
    noun,
    name: (given ?? workingName(locale, kind, place, noun)).slice(0, 80),
    isNameProvisional: given === undefined,
    place,
    direction,
    scheme: schemeIn(prompt) ?? 'auto',
    font: fontIn(prompt),
    colours: accent === undefined ? {} : { accent },
    length: lengthIn(prompt) ?? 'normal',
    facts: factsIn(prompt, locale),
    pictures: {},
    gallery: [],
    pages: planPages(seed, kind, locale, wishedSections(prompt), offersIn(prompt)),
    removed: [],
    removedPages: [],
    placeholders: [],
    hashes: {},
  };
  const { pictures = [] } = options;
  const placed = pictures.length === 0 ? undefined : unmentioned({ site: bare, sentence: prompt, plain: plain(prompt), locale, pictures });
  const pictured = placed !== undefined && 'message' in placed ? (placed.site ?? bare) : bare;
  const site = { ...pictured, placeholders: placeholdersOf(pictured) };
  const rendered = renderFiles(site);
  const specification = withHashes(site, rendered);
  const suggestions = site.placeholders.slice(0, maxSuggestions);
  const said = [
    replyOf(locale, 'ready', { value: site.name }),
    languagesFor(prompt, locale),
    impossibleIn(plain(prompt), locale),
    replyOf(locale, 'onlyYouKnow'),
  ];
  const did = said.filter((part) => part !== undefined).join('\n\n');
  return { files: new Map([...rendered, specificationFile(specification)]), site: specification, did, suggestions };
}
