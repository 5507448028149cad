import { languageOf, locales } from '../languages.ts';
import { plain, wordPattern } from './text.ts';

/** Days (0 is Monday) and when the business is open on them; without times it is closed. */
export interface Opening {
  readonly days: readonly number[];
  readonly times: readonly Times[];
}

interface Times {
  readonly opens: string;
  readonly closes: string;
}

const everyDay = [0, 1, 2, 3, 4, 5, 6];
const words = locales.map((locale) => languageOf(locale).time);
const patternOf = (lists: readonly string[]) => wordPattern(lists.join(' '));
const groups: readonly (readonly [pattern: RegExp, days: readonly number[]])[] = [
  [patternOf(words.map(({ daily, everyDay: shown }) => `${daily} ${shown.replaceAll(' ', '_')}`)), everyDay],
  [patternOf(words.map(({ weekdays }) => weekdays)), [0, 1, 2, 3, 4]],
  [patternOf(words.map(({ weekend }) => weekend)), [5, 6]],
  ...everyDay.map((day) => [patternOf(words.map(({ days }) => days[day] ?? '')), [day]] as const),
];
const shut = patternOf(words.map(({ shut: list }) => list));
const subject = patternOf(words.map(({ subject: list }) => list));

const connector = /^\s*(?:-|–|—|to|till|until|through|bis|a|au|jusqu'a|jusqu'au|al|hasta)\s*(?:le\s|les\s|el\s|los\s)?\s*$/u;
const time = String.raw`(\d{1,2})(?:\s?[:.h]\s?(\d{2}))?\s?(am|pm|a\.m\.|p\.m\.|uhr|h(?![\p{L}]))?`;
const range = new RegExp(`(?<![\\d.,:/-])${time}\\s*(?:-|–|—|to|till|until|bis|a|hasta|jusqu'a)\\s*${time}(?![\\d/-]|[.,]\\d)`, 'gu');
/** What follows a short name of a day, such as "Mo" or "sun". */
const besideTime = /^\.?\s*(?:[-–—:,/&+\d]|(?:bis|to|and|und|et|au?|al|y|till|von|from|de)\s|$|geschlossen|closed|ferme|cerrado)/u;

type Item =
  | { readonly at: number; readonly end: number; readonly days: readonly number[] }
  | { readonly at: number; readonly end: number; readonly times: Times }
  | { readonly at: number; readonly end: number; readonly isShut: true };

/** 24-hour times; "9-5" is from 9 to 17. Undefined if these are no times. */
function timesOf([, from = '', fromMinutes = '00', fromHalf, to = '', toMinutes = '00', toHalf]: RegExpMatchArray): Times | undefined {
  const hour = (text: string, half: string | undefined) => {
    const value = Number(text);
    if (half?.startsWith('p') === true && value < 12) return value + 12;
    return half?.startsWith('a') === true && value === 12 ? 0 : value;
  };
  const opens = hour(from, fromHalf);
  const closes = hour(to, toHalf);
  if (opens > 24 || closes > 24 || Number(fromMinutes) > 59 || Number(toMinutes) > 59) return undefined;
  const isAfternoon = closes <= opens && opens <= 12 && closes < 12 && toHalf === undefined;
  return { opens: `${opens}:${fromMinutes}`, closes: `${isAfternoon ? closes + 12 : closes}:${toMinutes}` };
}

/** Days, times and words for "closed" in the order of the text; days that are joined by "to" are one item. */
function itemsIn(text: string): Item[] {
  const found: Item[] = [];
  for (const match of text.matchAll(range)) {
    const times = timesOf(match);
    if (times !== undefined) found.push({ at: match.index, end: match.index + match[0].length, times });
  }
  for (const match of text.matchAll(shut)) found.push({ at: match.index, end: match.index + match[0].length, isShut: true });
  const days = groups.flatMap(([pattern, list]) =>
    [...text.matchAll(pattern)]
      .map((match) => ({ at: match.index, end: match.index + match[0].length, days: list, length: match[0].length }))
      .filter(({ end, length }) => length > 3 || besideTime.test(text.slice(end))),
  );
  for (const day of days.toSorted((one, two) => one.at - two.at || two.length - one.length)) {
    const last = found.findLast((item) => 'days' in item);
    if (last !== undefined && day.at < last.end) continue;
    const isRange = last !== undefined && 'days' in last && connector.test(text.slice(last.end, day.at));
    if (!isRange) found.push(day);
    else {
      const [from = 0, to = 0] = [last.days.at(-1), day.days[0]];
      const between = Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, step) => (from + step) % 7);
      found[found.indexOf(last)] = { at: last.at, end: day.end, days: [...last.days.slice(0, -1), ...between] };
    }
  }
  return found.toSorted((one, two) => one.at - two.at);
}

/** "12-3 and 6-10": the second is in the evening. */
function laterThan(before: Times | undefined, times: Times): Times {
  const hour = (value: string | undefined) => Number(value?.split(':')[0]);
  const isEvening = hour(times.opens) < hour(before?.closes) && hour(times.closes) < 12;
  const later = (value: string) => value.replace(/^\d+/, String(hour(value) + 12));
  return isEvening ? { opens: later(times.opens), closes: later(times.closes) } : times;
}

/** The openings of a text that consists of them; times without days are for every day. */
function openingsOf(text: string): Opening[] {
  const openings: { days: number[]; times: Times[] }[] = [];
  let days: number[] = [];
  let isShutFirst = false;
  const items = itemsIn(text);
  for (const [at, item] of items.entries()) {
    const next = items[at + 1];
    if ('times' in item) {
      const last = openings.at(-1);
      const named = openings.flatMap((opening) => opening.days);
      if (days.length === 0 && last !== undefined && last.times.length > 0) last.times.push(laterThan(last.times.at(-1), item.times));
      else if (days.length > 0) openings.push({ days, times: [item.times] });
      // "Closed on Mondays, otherwise 9 to 18."
      else if (named.length > 0 || !items.some((other) => 'days' in other))
        openings.push({ days: everyDay.filter((day) => !named.includes(day)), times: [item.times] });
      days = [];
      isShutFirst = false;
    } else if ('isShut' in item) {
      if (days.length > 0) openings.push({ days, times: [] });
      else isShutFirst = next !== undefined && 'days' in next;
      days = [];
    } else if (
      isShutFirst &&
      !(next !== undefined && 'times' in next && !/^\s+(?:and|und|et|y)\s+$/u.test(text.slice(items[at - 1]?.end, item.at)))
    )
      openings.push({ days: [...item.days], times: [] });
    else days = [...days, ...item.days];
  }
  return openings;
}

/** The opening hours that a text states; none if it does not speak of days or of being open. */
export function openingsIn(text: string): Opening[] {
  const searched = plain(text);
  const items = itemsIn(searched);
  const saysDays = items.some((item) => 'days' in item);
  const saysWhen = items.some((item) => 'times' in item || ('isShut' in item && saysDays));
  const isAlone = /^[\s\d:.h–-]*(?:uhr)?[\s.]*$/u.test(searched);
  return saysWhen && (saysDays || isAlone || searched.search(subject) >= 0) ? openingsOf(searched).slice(0, 14) : [];
}

/** The days of an opening: "Mon–Fri", "Mon, Wed", "Every day". */
function daysText(days: readonly number[], locale: string): string {
  const { names, everyDay: all } = languageOf(locale).time;
  const sorted = [...new Set(days)].toSorted((one, two) => one - two);
  if (sorted.length === 7) return all;
  const runs: number[][] = [];
  for (const day of sorted) {
    const last = runs.at(-1);
    if (last?.at(-1) === day - 1) last.push(day);
    else runs.push([day]);
  }
  const name = (day: number | undefined) => names[day ?? 0] ?? '';
  const runText = (run: readonly number[]) => (run.length > 2 ? `${name(run[0])}–${name(run.at(-1))}` : run.map(name).join(', '));
  return runs.map(runText).join(', ');
}

/** Openings as rows of a language: "Mon–Fri" and "9:00–17:00". */
export function hoursRows(openings: readonly Opening[], locale: string): { readonly label: string; readonly times: string }[] {
  const { clock, closed } = languageOf(locale).time;
  const clockText = (value: string) => {
    const [hour = '', minute = ''] = value.split(':');
    return clock.replace('{hour}', hour).replace('{minute}', minute);
  };
  return openings.map(({ days, times }) => {
    const shown = times.map(({ opens, closes }) => `${clockText(opens)}–${clockText(closes)}`).join(', ');
    return { label: daysText(days, locale), times: shown === '' ? closed : shown };
  });
}

/** Openings as lines of a language: "Mon–Fri 9:00–17:00", "Sun closed". They are read again by `openingsIn`. */
export const hoursText = (openings: readonly Opening[], locale: string): string[] =>
  hoursRows(openings, locale).map(({ label, times }) => `${label} ${times}`);

/** The openings of lines that were kept; undefined if a line is no more than words. */
export function openingsOfLines(lines: readonly string[]): Opening[] | undefined {
  const read = lines.map((line) => openingsIn(line));
  return read.every((openings) => openings.length > 0) ? read.flat() : undefined;
}

/** Hours with others over them: days that are closed alone change no other day. */
export function withOpenings(before: readonly Opening[], changes: readonly Opening[]): Opening[] {
  const isPartial = changes.every(({ times }) => times.length === 0);
  if (!isPartial) return [...changes];
  const changed = new Set(changes.flatMap(({ days }) => days));
  const kept = before
    .map(({ days, times }) => ({ days: days.filter((day) => !changed.has(day)), times }))
    .filter(({ days }) => days.length > 0);
  return [...kept, ...changes];
}
