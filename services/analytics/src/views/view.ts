import { hash } from 'node:crypto';

export type Device = 'desktop' | 'mobile' | 'tablet' | 'other';

/** One view of a page, as accepted by ingest and counted by the workers. */
export interface View {
  /** The first label of the site's host, in lower case. */
  readonly site: string;
  /** Milliseconds since 1970 UTC, not after the arrival and not before the UTC day of the arrival. */
  readonly at: number;
  /** Decoded, starts with "/", without query and fragment. */
  readonly path: string;
  /** The referring host; "" for none, and for the site itself. */
  readonly referrer: string;
  readonly device: Device;
  /** The names of browser and operating system; "" if the header does not tell. */
  readonly browser: string;
  readonly system: string;
  /** ISO 3166-1, two letters; "" if unknown. */
  readonly country: string;
  /** The address's `utm_source`, `utm_medium` and `utm_campaign`; "" for none. */
  readonly source: string;
  readonly medium: string;
  readonly campaign: string;
  readonly bot: boolean;
  /** 16 base64url characters, the same for one visitor of one site on one UTC day. */
  readonly visitor: string;
  /** 11 base64url characters, the same for each repeat of one event; "" for views without an id. */
  readonly event: string;
}

/** Processes of an earlier release read and write the first eight, and no more. */
type Row = [
  ...[site: string, at: number, path: string, referrer: string, device: Device, bot: 0 | 1, visitor: string, event: string],
  ...[browser?: string, system?: string, country?: string, source?: string, medium?: string, campaign?: string],
];

const version = '2';
const separator = '\n';
const everySite = () => true;
/** The places of a row's texts. */
const textsOfRow = [0, 2, 3, 4, 6, 7];
/** The places of those that a row may lack. */
const laterTexts = [8, 9, 10, 11, 12, 13];
/** 8 bytes. */
const eventCharacters = 11;

/** Bytes of a message beside its views and their separators. */
export const messageFrameBytes = version.length + separator.length;

/** Encodes a view for a message. */
export function encodeView(view: View): string {
  const { site, at, path, referrer, device, bot, visitor, event, browser, system, country, source, medium, campaign } = view;
  const shared = [browser, system, country, source, medium, campaign] as const;
  return JSON.stringify([site, at, path, referrer, device, bot ? 1 : 0, visitor, event, ...shared] satisfies Row);
}

/**
 * Encodes a message: a line with the version, then one line per request. A request is the views of one site, each
 * from `encodeView`, separated by commas.
 */
export const encodeMessage = (requests: readonly string[]): string => `${version}${separator}${requests.join(separator)}`;

/**
 * Decodes the views of a message, only those of wanted sites (default: all). Throws if the message is malformed or of
 * another version.
 */
export function decodeMessage(message: string, isWanted: (site: string) => boolean = everySite): View[] {
  const [found, ...requests] = message.split(separator);
  if (found !== version) throw new Error(`message has version ${found}, expected ${version}`);
  const wanted = requests.filter((request) => isWanted(siteOf(request)));
  const rows = JSON.parse(`[${wanted.join(',')}]`) as unknown[];
  return rows.map((row) => {
    if (!isRow(row)) throw new Error('message has a row that is no view');
    const [site, at, path, referrer, device, bot, visitor, event, browser = '', system = '', country = '', ...utm] = row;
    const [source = '', medium = '', campaign = ''] = utm;
    const visit = { device, browser, system, country, source, medium, campaign };
    return { site, at, path, referrer, bot: bot === 1, visitor, event, ...visit };
  });
}

interface Decoded {
  readonly views: readonly View[];
  /** Messages of the requests that cannot be decoded, or the whole message. */
  readonly unreadable: readonly string[];
}

/** Decodes what can be decoded: an unreadable request takes no other with it. */
export function decodeReadable(message: string, isWanted: (site: string) => boolean): Decoded {
  try {
    return { views: decodeMessage(message, isWanted), unreadable: [] };
  } catch {
    const [found, ...requests] = message.split(separator);
    if (found !== version || requests.length < 2) return { views: [], unreadable: [message] };
    const each = requests.map((request) => decodeReadable(encodeMessage([request]), isWanted));
    return { views: each.flatMap(({ views }) => views), unreadable: each.flatMap(({ unreadable }) => unreadable) };
  }
}

const isRow = (row: unknown): row is Row =>
  Array.isArray(row) &&
  typeof row[1] === 'number' &&
  textsOfRow.every((index) => typeof row[index] === 'string') &&
  laterTexts.every((index) => row[index] === undefined || typeof row[index] === 'string');

/** Site names have only letters, digits and hyphens, so JSON does not escape them. */
const siteOf = (request: string): string => request.slice(2, request.indexOf('"', 2));

/** Returns an event's mark: 11 base64url characters from site and id, or "" without an id. */
export const hashEventId = (site: string, id: string): string =>
  id === '' ? '' : hash('sha256', `${site}\0${id}`, 'base64url').slice(0, eventCharacters);

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Returns the UTC day of a time, "2026-03-01", or the day `plus` days later. */
export const toUtcDay = (ms: number, plus = 0): string => new Date(ms + plus * dayMs).toISOString().slice(0, 10);

/** Returns the start of a day, in milliseconds since 1970. */
export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);

/**
 * The page that a path shows, as a site serves it: "/docs" for "/docs/", "/docs.html", "/docs/index" and
 * "/docs/index.html". Both Unicode forms of a name are one.
 */
export function pageOf(path: string): string {
  const page = path.replace(/\.html$/, '').replace(/\/index$/, '/');
  return (page.length > 1 && page.endsWith('/') ? page.slice(0, -1) : page).normalize('NFC');
}

/**
 * Names the pages that these paths show: a page that was viewed at several addresses as `pageOf` does, another one by
 * its address.
 */
export function pageNames(paths: Iterable<string>): (path: string) => string {
  const names = new Map<string, string>();
  for (const path of paths) names.set(pageOf(path), names.has(pageOf(path)) ? pageOf(path) : path);
  return (path) => names.get(pageOf(path)) ?? path;
}
