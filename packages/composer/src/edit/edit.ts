import type { ListedPicture } from '@webkiln/contract';
import type { Reply } from '../language-schema.ts';
import { defaultLocale, impossibleIn, languageOf, locales, replyOf, suggestionsOf } from '../languages.ts';
import type { Site } from '../site.ts';
import { localeOf } from '../understand/locale-of.ts';
import { languagesFor } from '../understand/other-languages.ts';
import { cleaned, plain, wordPattern } from '../understand/text.ts';
import { address, email, event, hours, link, menuLine, offers, person, phone, price, pricedList, quote, street } from './edit-facts.ts';
import { color, direction, font, layout, length, scheme } from './edit-look.ts';
import { addPage, movePage, removePage, renamePage } from './edit-pages.ts';
import { picture, replaced, unmentioned, withLibrary } from './edit-pictures.ts';
import { add, move, remove, restore } from './edit-sections.ts';
import { rename, subtitle, text, title, translate } from './edit-texts.ts';
import { applyChange } from './keep-changes.ts';
import { type Change, type EditRequest, has, type Intent } from './request.ts';
import { splitWishes, type Understood, type Wish } from './split-wishes.ts';

const maxWishes = 12;
const withText = /\s(?:with|mit|avec|con)\s(?:the |dem |le |el |a |einem |un )?(?:text|texte|texto)(?!\p{L})/iu;

interface KnownIntent {
  readonly run: Intent;
  readonly takes?: Understood['takes'];
  readonly isFact?: boolean;
  readonly isLook?: boolean;
}

const saysWhy: Intent = ({ sentence, locale, plain: searched }) => {
  const isRemoval = has({ plain: searched }, 'remove');
  const reason = isRemoval ? undefined : impossibleIn(plain(sentence.replace(/["“”„«»][^"“”„«»]*["“”„«»]/gu, ' ')), locale);
  return reason === undefined ? undefined : { reason };
};

/** Asked in this order: what brings a text of its own before what is recognised by single words. */
const intents: Readonly<Record<string, KnownIntent>> = {
  picture: { run: picture },
  quote: { run: quote, takes: 'list' },
  link: { run: link, isFact: true },
  email: { run: email, isFact: true },
  price: { run: price, takes: 'list', isFact: true },
  menuLine: { run: menuLine, takes: 'list', isFact: true },
  offers: { run: offers, takes: 'list' },
  event: { run: event, takes: 'text' },
  hours: { run: hours, isFact: true },
  person: { run: person, takes: 'list' },
  address: { run: address, takes: 'list', isFact: true },
  phone: { run: phone, isFact: true },
  movePage: { run: movePage },
  renamePage: { run: renamePage, takes: 'list' },
  subtitle: { run: subtitle, takes: 'text' },
  title: { run: title, takes: 'text' },
  text: { run: text, takes: 'text' },
  translate: { run: translate },
  rename: { run: rename, takes: 'list' },
  street: { run: street, takes: 'list', isFact: true },
  cannot: { run: saysWhy },
  addPage: { run: addPage },
  removePage: { run: removePage },
  restore: { run: restore },
  layout: { run: layout },
  remove: { run: remove },
  move: { run: move },
  add: { run: add },
  font: { run: font, isLook: true },
  color: { run: color, isLook: true },
  length: { run: length, isLook: true },
  scheme: { run: scheme, isLook: true },
  direction: { run: direction, isLook: true },
  pricedList: { run: pricedList, takes: 'list', isFact: true },
};

export interface EditedSite {
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly site: Site;
  /** What changed, and what of the message was not done and why, in the language of the message. */
  readonly did: string;
  /** Beginnings of wishes that fill what this edit left open. */
  readonly suggestions: readonly string[];
}

export interface NotUnderstood {
  /** A sentence that says why nothing changed. */
  readonly notUnderstood: string;
  /** Three sentences that the composer understands. */
  readonly suggestions: readonly [string, string, string];
}

/** A sentence of the composer about its work, in the language of a message. */
export const sentenceFor = (message: string, reply: 'introduction' | 'foreign'): string => replyOf(localeOf(cleaned(message)), reply);

/** The language of a short sentence, or the site's if it cannot be told. */
const replyLocale = (sentence: string, site: Site): string => {
  if ((plain(sentence).match(/\p{L}{2,}/gu)?.length ?? 0) < 3) return site.locale;
  const found = localeOf(sentence);
  return found === defaultLocale &&
    !/\b(?:the|a|an|to|make|add|remove|use|change|it|is|bring|move|our|dark|light|shorter|longer)\b/i.test(sentence)
    ? site.locale
    : found;
};

/** What a reply is about, if a site has one of it: two in a message contradict each other. */
const single: Partial<Record<Reply, string>> = {
  ...{
    headerColor: 'header',
    backgroundColor: 'background',
    accentColor: 'accent',
    font: 'font',
    direction: 'direction',
    layout: 'layout',
  },
  ...{ darkScheme: 'scheme', lightScheme: 'scheme', autoScheme: 'scheme', shortTexts: 'length', longTexts: 'length' },
};

/** The first intent that knows what a sentence wishes, and what it does. */
function intentOf(request: EditRequest): { readonly name: string; readonly change: Change } | undefined {
  const isNegated = request.plain.search(negations) >= 0;
  for (const [name, { run, isLook = false }] of Object.entries(intents)) {
    const change = isLook && isNegated ? undefined : run(request);
    if (change !== undefined) return { name, change };
  }
  return undefined;
}

const pronouns = wordPattern(locales.map((locale) => languageOf(locale).wishes.pronouns).join(' '));
const negations = wordPattern(locales.map((locale) => languageOf(locale).wishes.negations).join(' '));

/** What a change is about, as a following sentence may name it. */
function subjectOf(change: Change | undefined): string | undefined {
  if (change === undefined || 'reason' in change) return undefined;
  const { message, values } = change;
  return values?.section ?? (message.startsWith('page') && values?.value !== undefined ? `page “${values.value}”` : undefined);
}

interface Outcome {
  readonly site: Site;
  readonly done: readonly string[];
  readonly notDone: readonly string[];
  readonly isAnswered: boolean;
}

/** Carries out the wishes one after the other, and says of each what became of it. */
function fulfil(start: Site, wishes: readonly Wish[], locale: string, pictures: readonly ListedPicture[]): Outcome {
  let site = start;
  const [done, notDone]: [string[], string[]] = [[], []];
  const changed = new Map<string, string>();
  let isAnswered = false;
  let subject: string | undefined;
  const run = (text: string) => intentOf({ site, sentence: text, plain: plain(text), locale, pictures })?.change;
  let hasPlaced = pictures.length === 0;
  /** "Rename it", "move it to the end": it is the page or section of the wish before. */
  const changeOf = (asked: string) => {
    const alone = run(asked);
    const isClear = alone !== undefined && !('message' in alone && alone.message === 'renamed');
    if (isClear || subject === undefined || plain(asked).search(pronouns) < 0) return alone;
    const meant = run(`${subject} ${asked}`);
    return meant !== undefined && 'site' in meant && meant.site !== undefined ? meant : alone;
  };
  for (const { said, asked } of wishes.slice(0, maxWishes)) {
    const change = changeOf(asked);
    subject = subjectOf(change) ?? subject;
    isAnswered ||= change !== undefined;
    if (change === undefined) notDone.push(replyOf(locale, 'notDone', { value: shortened(said) }));
    else if ('reason' in change) notDone.push(change.reason);
    else {
      const replied = change.message === 'translated' ? (change.site?.locale ?? locale) : locale;
      const reply = replyOf(replied, change.message, change.values);
      const part = single[change.message];
      const isContrary = part !== undefined && changed.has(part) && changed.get(part) !== reply;
      if (change.site === undefined) notDone.push(reply);
      else if (isContrary) notDone.push(replyOf(locale, 'oneAtATime', { value: shortened(said) }));
      else {
        site = change.site;
        hasPlaced ||= change.message === 'pictureSet' || change.message === 'logoSet';
        if (part !== undefined) changed.set(part, reply);
        if (!done.includes(reply)) done.push(reply);
      }
    }
  }
  const rest = hasPlaced ? undefined : outcomeOf(unmentioned({ site, sentence: '', plain: '', locale, pictures }), locale);
  // "Here it is" needs no more than its picture.
  if (rest !== undefined) return { ...rest, done: [...done, ...rest.done], notDone: isAnswered ? [...new Set(notDone)] : [] };
  if (wishes.length > maxWishes) notDone.push(replyOf(locale, 'tooManyWishes', { count: String(maxWishes) }));
  return { site, done, notDone: [...new Set(notDone)], isAnswered };
}

const outcomeOf = (change: Change | undefined, locale: string): Outcome | undefined =>
  change !== undefined && 'message' in change && change.site !== undefined
    ? { site: change.site, done: [replyOf(locale, change.message, change.values)], notDone: [], isAnswered: true }
    : undefined;

const shortened = (said: string) => (said.length > 80 ? `${said.slice(0, 79)}…` : said).replace(/[.!?\s]+$/u, '');

/**
 * Carries out the wishes of a message ("make the header green and add a gallery") on a composed site; the answer says
 * of each that it is done, or why not. Pure: returns new files and a new specification. Files that were changed by
 * hand keep their changes. Only the first 2,000 characters are read.
 */
export function edit(options: {
  readonly site: Site;
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly sentence: string;
  /** The pictures that the message is about. */
  readonly pictures?: readonly ListedPicture[];
  /** The path of the image that the person clicked: the picture takes its place. */
  readonly clicked?: string | undefined;
  /** The pictures of the site's library as they are now; without it, those of the specification. */
  readonly library?: readonly ListedPicture[];
}): EditedSite | NotUnderstood {
  const { pictures = [], clicked, library } = options;
  const current = library === undefined ? options.site : withLibrary(options.site, library);
  const sentence = cleaned(options.sentence);
  const locale = replyLocale(sentence, options.site);
  const examples = suggestionsOf(locale, sentence.length);
  const known = new Map<string, Understood | undefined>();
  const understand = (text: string): Understood | undefined => {
    if (known.has(text)) return known.get(text);
    const found = intentOf({ site: current, sentence: text, plain: plain(text), locale, pictures });
    // A text of several sentences may follow "with the text".
    const takesText = found?.name === 'addPage' && withText.test(text);
    const { takes = takesText ? 'text' : 'nothing', isFact = false, isLook = false } = intents[found?.name ?? ''] ?? {};
    const { site: _, ...said } = { site: undefined, ...found?.change };
    known.set(text, found && { intent: found.name, key: JSON.stringify(said), takes, isFact, isLook });
    return known.get(text);
  };
  const click = clicked === undefined ? undefined : replaced({ site: current, sentence, plain: '', locale, pictures }, clicked);
  const wishes = click === undefined ? splitWishes(sentence, understand) : [];
  const { site: wished, done, notDone, isAnswered } = outcomeOf(click, locale) ?? fulfil(current, wishes, locale, pictures);
  const languages = isAnswered ? undefined : languagesFor(sentence, locale);
  if (languages !== undefined) return { notUnderstood: languages, suggestions: examples };
  if (!isAnswered)
    return { notUnderstood: wishes.length > 1 ? notDone.join(' ') : replyOf(locale, 'notUnderstood'), suggestions: examples };
  if (done.length === 0) return { files: options.files, site: options.site, did: notDone.join('\n\n'), suggestions: [] };
  const { site, files, blocked, hasChanged } = applyChange(options, wished);
  if (!hasChanged && blocked.length > 0)
    return { notUnderstood: replyOf(locale, 'blockedByHand', { value: blocked.join(', ') }), suggestions: examples };
  const kept = blocked.length === 0 ? '' : replyOf(locale, 'keptByHand', { value: blocked.join(', ') });
  const asked = site.placeholders.filter((each) => wished.locale === options.site.locale && !options.site.placeholders.includes(each));
  return { files, site, did: [`${done.join(' ')}${kept}`, ...notDone].join('\n\n'), suggestions: asked.slice(0, 3) };
}
