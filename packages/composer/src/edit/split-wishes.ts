import { languageOf, locales } from '../languages.ts';
import { plain, wordPattern } from '../understand/text.ts';

const maxCuts = 60;
const maxShared = 6;

/** What the composer would do about a part of a message. */
export interface Understood {
  readonly intent: string;
  /** Equal for texts that change the same in the same way. */
  readonly key: string;
  /** What may follow as a part of it: items of a list, or any words. */
  readonly takes: 'nothing' | 'list' | 'text';
  /** It is recognised by its form: an address, times, a telephone number. */
  readonly isFact: boolean;
  readonly isLook: boolean;
}

/** One wish of a message: as it was said, and with the verb that it shares with another. */
export interface Wish {
  readonly said: string;
  readonly asked: string;
}

const wishWords = locales.map((locale) => languageOf(locale).wishes);
type WordList = 'joints' | 'withs' | 'starts' | 'openers' | 'politeness' | 'subjects' | 'places';
const sourceOf = (key: WordList) => wordPattern(wishWords.map((words) => words[key]).join(' ')).source;

const polite = new RegExp(`^(?:${sourceOf('politeness')}|[\\s,.!?–-])*$`, 'u');
const opening = new RegExp(`^(?:(?:${sourceOf('openers')}|${sourceOf('joints')})[\\s,]*)+`, 'u');
const start = new RegExp(`^(?:${sourceOf('starts')})`, 'u');
const verbAnywhere = new RegExp(sourceOf('starts'), 'u');
const placeFirst = new RegExp(`^(?:${sourceOf('places')})`, 'u');
const subjectFirst = new RegExp(`^(?:[\\p{L}']{2,9}\\s+)?(?:${sourceOf('subjects')})`, 'u');
const article =
  /^(?:an?|one|another|otra|the|our|my|us|it|all|everything|de[rnms]|die|das|eine[nmrs]?|ein|unse?re?[nmrs]?|es|alles|une?|les?|la|l'|notre|nos|mon|ma|tout|el|los|las|una?s?|nuestr[oa]s?|mi|todo)(?![\p{L}])/u;
/** Where a sentence ends, or a wish may end. */
const cut = new RegExp(
  `(?<hard>[.!?]+(?=\\s|$)|[;\\n])|\\s[–—-]\\s(?=\\s*(?:${sourceOf('joints')}))|,(?!\\d)|(?<with>${sourceOf('withs')})|${sourceOf('joints')}`,
  'gu',
);
/** "A page for workshops and one for teachers". */
const anotherPage =
  /^(?:(?:an)?other|one|eine|une(?: autre)?|otra|una)\s+(?=(?:for|about|called|über|für|namens|sur|pour|appelée|de|sobre|para|llamada)\s)/iu;
const quotedEnd = /["“”„«»)][.!?]*$/u;
const abbreviation = /(?:^|[\s(])(?:st|e\.g|i\.e|z\.b|d\.h|p\.ej|p\.ex|no|nr|str|dr|mr|mrs|ca|inkl|incl)$/u;

/** As long as the text: accents off, and what is quoted, in brackets or an address as marks. */
const searchable = (text: string): string =>
  text
    .replace(/["“”„«»][^"“”„«»]*["“”„«»]|\([^()]*\)|https?:\/\/\S+|[^\s@]{1,64}@[^\s@]{1,200}/gu, (found) => {
      const end = found.search(/[.,;!?]+$/u);
      return end < 0 ? '\u0001'.repeat(found.length) : '\u0001'.repeat(end) + found.slice(end);
    })
    .replace(/[^\n -~]/gu, (letter) => (plain(letter).length === letter.length ? plain(letter) : letter))
    .toLowerCase();

interface Piece {
  readonly from: number;
  readonly to: number;
  /** What stands before it: the end of a sentence, "with", or a comma or joint. */
  readonly after: 'sentence' | 'with' | 'joint';
}

interface Begun extends Piece {
  to: number;
  asked: string;
}

function piecesOf(message: string): Piece[] {
  const searched = searchable(message);
  const pieces: Piece[] = [];
  let [from, after]: [number, Piece['after']] = [0, 'sentence'];
  const add = (to: number) => {
    if (searched.slice(from, to).trim() === '') return false;
    pieces.push({ from, to, after });
    return true;
  };
  let cuts = 0;
  for (const match of searched.matchAll(cut)) {
    const isHard = match.groups?.hard !== undefined;
    const following = message.slice(match.index + match[0].length).trimStart();
    const isInside = isHard && match[0] === '.' && /\d$/.test(searched.slice(0, match.index)) && !/^\p{Lu}|^$/u.test(following);
    if (isInside || (isHard && abbreviation.test(searched.slice(Math.max(0, match.index - 8), match.index))) || ++cuts > maxCuts) continue;
    const isNew = add(match.index + (/^[.!?]/.test(match[0]) ? match[0].length : 0));
    if (isHard) after = 'sentence';
    else if (isNew || after !== 'sentence') after = match.groups?.with === undefined ? 'joint' : 'with';
    from = match.index + match[0].length;
  }
  add(message.length);
  return pieces;
}

/** A text without the words that say nothing at its beginning. */
const core = (text: string): string => plain(text).trim().replace(opening, '');
const beginsWish = (text: string): boolean => start.test(core(text));
const isDetermined = (text: string): boolean => article.test(core(text).replace(start, '').trim());

/** The verb that a text begins its wish with, for parts that share it. */
const verbOf = (text: string): string | undefined => plain(text).match(verbAnywhere)?.[0];

/**
 * Cuts a message into its wishes. A part is a wish of its own if it begins with a verb of wishes, or is understood
 * alone, or with the verb of the part before it ("add a gallery and a newsletter"). What is neither, and follows a wish
 * that takes any words, is part of those words. All else is a wish as well, to be named as not understood.
 */
export function splitWishes(message: string, understand: (text: string) => Understood | undefined): Wish[] {
  const wishes: Begun[] = [];
  for (const piece of piecesOf(message)) {
    const text = message.slice(piece.from, piece.to).trim();
    const current = wishes.at(-1);
    const before = current && understand(current.asked);
    const takesAny = before?.takes === 'text' && !quotedEnd.test(current?.asked ?? '');
    if (polite.test(plain(text)) && !takesAny) continue;
    const next = current === undefined ? { asked: text } : nextWish(message, current, piece, text, before, understand);
    if (next === undefined && current !== undefined) {
      current.to = piece.to;
      current.asked = message.slice(current.from, piece.to).trim();
    } else if (next !== undefined) {
      if (current !== undefined && next.before !== undefined) current.asked = next.before;
      wishes.push({ ...piece, asked: next.asked });
    }
  }
  return wishes.map(({ from, to, asked }) => ({ said: message.slice(from, to).trim(), asked }));
}

/** The wish that a part begins, and the one before if they share words; undefined if it belongs to the one before. */
function nextWish(
  message: string,
  current: Begun,
  piece: Piece,
  text: string,
  before: Understood | undefined,
  understand: (text: string) => Understood | undefined,
): { readonly asked: string; readonly before?: string } | undefined {
  const alone = understand(text);
  const endsQuoted = quotedEnd.test(current.asked);
  const isStrong = beginsWish(text);
  if (before !== undefined && before.takes !== 'nothing' && !(endsQuoted && before.takes === 'text')) {
    if (isStrong && (alone !== undefined || isDetermined(text) || before.takes === 'list')) return { asked: text };
    const isItem = before.takes === 'text' || /\d/.test(text) || (alone?.isLook === true && piece.after !== 'sentence');
    // "The contact page to Find us and the offers page to Classes": the second shares the verb of the first.
    const shared = before.intent === 'renamePage' && alone === undefined ? sharedVerb(current.asked, text, understand) : undefined;
    if (shared !== undefined && understand(shared)?.intent === before.intent) return { asked: shared };
    // "…, cake 3 and wine on another page": a list with prices has no long line without one.
    const isLong = text.split(/\s+/).length > 3 && /\d[\s.,€£$]*$/u.test(current.asked);
    if (alone === undefined) return !isItem && (piece.after === 'sentence' || isLong) ? { asked: text } : undefined;
    if (alone.intent === before.intent) return undefined;
    const isFact = alone.isFact && before.takes === 'list';
    return isFact || !isItem || subjectFirst.test(core(text)) ? { asked: text } : undefined;
  }
  const joined = understand(message.slice(current.from, piece.to).trim());
  if (piece.after === 'with') {
    const isPart = before === undefined || before.intent === 'addPage' || (joined !== undefined && joined.key !== before.key);
    if (isPart && (before === undefined || alone?.isLook !== true)) return undefined;
    return { asked: text };
  }
  if (alone?.isFact === true && alone.intent === before?.intent) return undefined;
  // "Closed on Mondays, otherwise 9 to 18" says more than its first part.
  if (alone === undefined && before?.isFact === true && joined?.intent === before.intent && joined.key !== before.key) return undefined;
  if (piece.after === 'sentence') return { asked: alone === undefined ? (sharedVerb(current.asked, text, understand) ?? text) : text };
  const hasVerb = verbOf(current.asked) !== undefined;
  if (before === undefined && !hasVerb && current.after === 'sentence') {
    // "Gallery and newsletter: please add", where the verb stands last.
    const completed = alone === undefined || isStrong ? undefined : sharedEnd(current.asked, text, alone, understand);
    if (completed !== undefined) return { asked: text, before: completed };
    const isOne = alone?.isFact === true && joined?.intent === alone.intent && joined.key !== alone.key;
    return (isStrong || alone !== undefined) && !isOne && !placeFirst.test(core(current.asked)) ? { asked: text } : undefined;
  }
  if (isStrong || alone !== undefined) return { asked: text };
  if (before?.intent === 'addPage' && !isDetermined(text)) return undefined;
  const another = before?.intent === 'addPage' ? text.replace(anotherPage, 'a page ') : text;
  const shared = sharedVerb(current.asked, another, understand);
  if (before !== undefined) return { asked: shared ?? text };
  const meant = shared === undefined ? undefined : understand(shared);
  if (shared === undefined || meant === undefined) return undefined;
  const completed = sharedEnd(current.asked, text, meant, understand);
  return { asked: shared, ...(completed === undefined ? {} : { before: completed }) };
}

/** "Add a gallery" and "a newsletter": the second with the verb of the first, if that is understood. */
function sharedVerb(first: string, second: string, understand: (text: string) => Understood | undefined): string | undefined {
  const verb = beginsWish(second) ? undefined : verbOf(first);
  return verb !== undefined && understand(`${verb} ${second}`) !== undefined ? `${verb} ${second}` : undefined;
}

/** "Move the gallery" and "the team to the top": the first with the end of the second, if both then wish alike. */
function sharedEnd(
  first: string,
  second: string,
  meant: Understood,
  understand: (text: string) => Understood | undefined,
): string | undefined {
  const words = second.split(/\s+/);
  for (let count = 1; count <= Math.min(maxShared, words.length); count += 1) {
    const completed = `${first} ${words.slice(-count).join(' ')}`;
    const found = understand(completed);
    if (found?.intent === meant.intent && found.key !== meant.key) return completed;
  }
  return undefined;
}
