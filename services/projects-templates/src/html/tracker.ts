import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTick } from 'node:timers/promises';
import { attributesOf, beginsText, type Tag, tagsOf } from './tags.ts';

/** Increment this when the inserted markup or its position changes, so that unchanged files become a new deploy. */
export const trackerVersion = 2;

const scriptPath = '/t.js';
const script = Buffer.from(`<script defer src="${scriptPath}"></script>`);
const image = Buffer.from('<noscript><img src="/t.gif" alt="" hidden></noscript>');

/** No real page is larger. */
const maxBytes = 8 * 1024 * 1024;
/** The tags of so many bytes are read at a time; other work of the process comes between. */
const bytesAtATime = 64 * 1024;

export const isPage = ({ content_type }: { content_type: string }): boolean => /^text\/html\b/.test(content_type);

/**
 * Inserts the visit tracker into a page: a script in its head, and an image at its end for browsers without scripts.
 * Returns undefined if the page must not change: it opts out (`<meta name="webkiln:analytics" content="off">`), has the
 * script already, is no document (parts that scripts load and verification files have no doctype and no `<html>`), is
 * AMP, whose rules forbid scripts, has a `<base>` that leads the script to another site, is not UTF-8, or is larger
 * than 8 MB.
 */
export async function withTracker(page: Buffer): Promise<Buffer | undefined> {
  if (page.byteLength > maxBytes || page.includes(0) || !isUtf8(page)) return undefined;
  const positions = await findPositions(page);
  if (positions === undefined) return undefined;
  const { head, end } = positions;
  return Buffer.concat([page.subarray(0, head), script, page.subarray(head, end), image, page.subarray(end)]);
}

interface Positions {
  readonly head: number;
  /** Not before `head`. */
  readonly end: number;
}

async function findPositions(page: Buffer): Promise<Positions | undefined> {
  /** The first tag of each kind; for "/body" and "/html" the last. */
  const seen = new Map<string, Tag>();
  let last: Tag | undefined;
  let templates = 0;
  let pauseAt = bytesAtATime;
  for (const tag of tagsOf(page)) {
    if (tag.end > pauseAt) {
      pauseAt = tag.end + bytesAtATime;
      await nextTick();
    }
    if (forbidsTracker(page, tag)) return undefined;
    if (tag.name === 'template') templates = Math.max(0, templates + (tag.isEndTag ? -1 : 1));
    if (templates > 0) continue;
    last = tag;
    const kind = tag.isEndTag ? `/${tag.name}` : tag.name;
    if (kind === '/body' || kind === '/html' || (landmarks.has(kind) && !seen.has(kind))) seen.set(kind, tag);
  }
  if (last === undefined || !(seen.has('!doctype') || seen.has('html'))) return undefined;
  const head = headPosition(seen);
  const end = seen.get('/body')?.start ?? seen.get('/html')?.start ?? (beginsText(last) ? last.start : last.end);
  return { head, end: Math.max(head, end) };
}

const deciding: ReadonlySet<string> = new Set(['script', 'base', 'html', 'meta']);
const landmarks: ReadonlySet<string> = new Set(['!doctype', 'html', 'head', '/head', 'body']);

/** The end of the head. If the browser infers that end, the earliest position that is certainly in the head. */
function headPosition(seen: ReadonlyMap<string, Tag>): number {
  const headEnds = Math.min(seen.get('/head')?.start ?? Number.POSITIVE_INFINITY, seen.get('body')?.start ?? Number.POSITIVE_INFINITY);
  if (headEnds !== Number.POSITIVE_INFINITY) return headEnds;
  return (seen.get('head') ?? seen.get('html') ?? seen.get('!doctype'))?.end ?? 0;
}

function forbidsTracker(page: Buffer, tag: Tag): boolean {
  if (tag.isEndTag) return false;
  if (!deciding.has(tag.name)) return false;
  const attributes = attributesOf(page, tag);
  if (tag.name === 'script') return attributes.get('src')?.trim() === scriptPath;
  if (tag.name === 'base') return /^\s*(?:[a-z][\w+.-]*:|[\\/]{2})/i.test(attributes.get('href') ?? '');
  if (tag.name === 'html') return attributes.keys().some((name) => /^(?:amp|\u26a1)/.test(name));
  return attributes.get('name')?.toLowerCase() === 'webkiln:analytics' && attributes.get('content')?.trim().toLowerCase() === 'off';
}
