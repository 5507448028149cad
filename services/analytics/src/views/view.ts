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
  readonly bot: boolean;
  /** 16 base64url characters, the same for one visitor of one site on one UTC day. */
  readonly visitor: string;
  /** 11 base64url characters, the same for each repeat of one event; "" for views without an id. */
  readonly event: string;
}

type Row = [site: string, at: number, path: string, referrer: string, device: Device, bot: 0 | 1, visitor: string, event: string];

const version = '2';
const separator = '\n';
const everySite = () => true;
/** The places of a row's texts. */
const textsOfRow = [0, 2, 3, 4, 6, 7];
/** 8 bytes. */
const eventCharacters = 11;

/** Bytes of a message beside its views and their separators. */
export const messageFrameBytes = version.length + separator.length;

/** Encodes a view for a message. */
export function encodeView({ site, at, path, referrer, device, bot, visitor, event }: View): string {
  return JSON.stringify([site, at, path, referrer, device, bot ? 1 : 0, visitor, event] satisfies Row);
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
    const [site, at, path, referrer, device, bot, visitor, event] = row;
    return { site, at, path, referrer, device, bot: bot === 1, visitor, event };
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
  Array.isArray(row) && typeof row[1] === 'number' && textsOfRow.every((index) => typeof row[index] === 'string');

/** Site names have only letters, digits and hyphens, so JSON does not escape them. */
const siteOf = (request: string): string => request.slice(2, request.indexOf('"', 2));

/** Returns an event's mark: 11 base64url characters from site and id, or "" without an id. */
export const hashEventId = (site: string, id: string): string =>
  id === '' ? '' : hash('sha256', `${site}\0${id}`, 'base64url').slice(0, eventCharacters);

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** Returns the UTC day of a time, "2026-03-01", or the day `plus` days later. */
export const toUtcDay = (ms: number, plus = 0): string => new Date(ms + plus * dayMs).toISOString().slice(0, 10);

/** Returns the start of a day, in milliseconds since 1970. */
export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);
