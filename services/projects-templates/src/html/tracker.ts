import { isUtf8 } from 'node:buffer';
import { attributesOf, beginsText, type Tag, tagsOf } from './tags.ts';

/** Counts up with every change of what is inserted or where: the same files make another deploy then. */
export const trackerVersion = 1;

const source = '/t.js';
const script = Buffer.from(`<script defer src="${source}"></script>`);
const picture = Buffer.from('<noscript><img src="/t.gif" alt="" hidden></noscript>');

/** A page is looked through in one go: this much takes well under a second, and nobody reads more. */
const mostBytes = 8 * 1024 * 1024;
const byteOrderMark = Buffer.from('\ufeff');

export const isPage = ({ content_type }: { content_type: string }): boolean => /^text\/html\b/.test(content_type);

/**
 * A page with what counts its visits: the script in its head, and for browsers without scripts a picture at its end. Undefined where the page
 * is to stay as it is: it opts out (`<meta name="webkiln:analytics" content="off">`), has the script already, holds no tag at all (such
 * files prove something to somebody by their exact bytes), is no UTF-8, or is larger than 8 MB.
 */
export function withTracker(page: Buffer): Buffer | undefined {
  if (page.byteLength > mostBytes || page.includes(0) || !isUtf8(page)) return undefined;
  const places = placesIn(page);
  if (places === undefined) return undefined;
  const { head, end } = places;
  return Buffer.concat([page.subarray(0, head), script, page.subarray(head, end), picture, page.subarray(end)]);
}

interface Places {
  readonly head: number;
  /** Not before `head`. */
  readonly end: number;
}

function placesIn(page: Buffer): Places | undefined {
  /** Where each kind of tag stood first, or, of end tags, last. */
  const seen = new Map<string, Tag>();
  let last: Tag | undefined;
  let templates = 0;
  for (const tag of tagsOf(page)) {
    if (decidesAgainst(page, tag)) return undefined;
    if (tag.name === 'template') templates = Math.max(0, templates + (tag.closes ? -1 : 1));
    if (templates > 0) continue;
    last = tag;
    const kind = tag.closes ? `/${tag.name}` : tag.name;
    if (kind === '/body' || kind === '/html' || (landmarks.has(kind) && !seen.has(kind))) seen.set(kind, tag);
  }
  if (last === undefined) return undefined;
  const head = placeInHead(page, seen);
  const end = seen.get('/body')?.start ?? seen.get('/html')?.start ?? (beginsText(last) ? last.start : last.end);
  return { head, end: Math.max(head, end) };
}

const landmarks: ReadonlySet<string> = new Set(['!doctype', 'html', 'head', '/head', 'body']);

/** At the end of the head; where that is left to the browser, where its start is certain. */
function placeInHead(page: Buffer, seen: ReadonlyMap<string, Tag>): number {
  const headEnds = Math.min(seen.get('/head')?.start ?? Number.POSITIVE_INFINITY, seen.get('body')?.start ?? Number.POSITIVE_INFINITY);
  if (headEnds !== Number.POSITIVE_INFINITY) return headEnds;
  const before = seen.get('head') ?? seen.get('html') ?? seen.get('!doctype');
  return before?.end ?? (page.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : 0);
}

function decidesAgainst(page: Buffer, tag: Tag): boolean {
  if (tag.closes) return false;
  if (tag.name === 'script') return attributesOf(page, tag).get('src')?.trim() === source;
  if (tag.name !== 'meta') return false;
  const attributes = attributesOf(page, tag);
  return attributes.get('name')?.toLowerCase() === 'webkiln:analytics' && attributes.get('content')?.trim().toLowerCase() === 'off';
}
