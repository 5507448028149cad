import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTick } from 'node:timers/promises';
import { attributesOf, beginsText, type Tag, tagsOf, valueStart } from './tags.ts';

/** Increment this when the inserted markup or its position changes, so that unchanged files become a new deploy. */
export const trackerVersion = 3;

const scriptPath = '/t.js';
const script = Buffer.from(`<script defer src="${scriptPath}"></script>`);
const image = Buffer.from('<noscript><img src="/t.gif" alt="" hidden></noscript>');

/** No real page is larger. */
const maxBytes = 8 * 1024 * 1024;
/** The tags of so many bytes are read at a time; other work of the process comes between. */
const bytesAtATime = 64 * 1024;

export const isPage = ({ content_type }: { content_type: string }): boolean => /^text\/html\b/.test(content_type);

/** More pictures than a page has for links to it. */
const maxPictures = 16;

/**
 * Inserts the visit tracker into a page: a script in its head, and an image at its end for browsers without scripts.
 * Paths of its link pictures get the site's origin in front, as the Open Graph protocol wants whole addresses.
 * Returns undefined if the page must not change: it opts out (`<meta name="webkiln:analytics" content="off">`), has the
 * script already, is no document (parts that scripts load and verification files have no doctype and no `<html>`), is
 * AMP, whose rules forbid scripts, has a `<base>` that leads the script to another site, is not UTF-8, or is larger
 * than 8 MB.
 */
export async function withTracker(page: Buffer, siteOrigin: string): Promise<Buffer | undefined> {
  if (page.byteLength > maxBytes || page.includes(0) || !isUtf8(page)) return undefined;
  const positions = await findPositions(page);
  if (positions === undefined) return undefined;
  const { head, end, pictures } = positions;
  const origin = Buffer.from(siteOrigin);
  const insertions = [...pictures.map((at) => ({ at, bytes: origin })), { at: head, bytes: script }, { at: end, bytes: image }];
  insertions.sort((one, other) => one.at - other.at);
  const starts = [0, ...insertions.map(({ at }) => at)];
  const parts = insertions.flatMap(({ at, bytes }, index) => [page.subarray(starts[index], at), bytes]);
  return Buffer.concat([...parts, page.subarray(starts.at(-1))]);
}

interface Positions {
  readonly head: number;
  /** Not before `head`. */
  readonly end: number;
  /** The starts of addresses of link pictures that lack the site's origin. */
  readonly pictures: readonly number[];
}

async function findPositions(page: Buffer): Promise<Positions | undefined> {
  /** The first tag of each kind; for "/body" and "/html" the last. */
  const seen = new Map<string, Tag>();
  const pictures: number[] = [];
  let last: Tag | undefined;
  let templates = 0;
  let pauseAt = bytesAtATime;
  for (const tag of tagsOf(page)) {
    if (tag.end > pauseAt) {
      pauseAt = tag.end + bytesAtATime;
      await nextTick();
    }
    const attributes = !tag.isEndTag && deciding.has(tag.name) ? attributesOf(page, tag) : undefined;
    if (attributes !== undefined && forbidsTracker(tag.name, attributes)) return undefined;
    if (tag.name === 'template') templates = Math.max(0, templates + (tag.isEndTag ? -1 : 1));
    if (templates > 0) continue;
    last = tag;
    const kind = tag.isEndTag ? `/${tag.name}` : tag.name;
    if (kind === '/body' || kind === '/html' || (landmarks.has(kind) && !seen.has(kind))) seen.set(kind, tag);
    const start = attributes && isPicturePath(attributes) && pictures.length < maxPictures ? valueStart(page, tag, 'content') : undefined;
    if (start !== undefined) pictures.push(start);
  }
  if (last === undefined || !(seen.has('!doctype') || seen.has('html'))) return undefined;
  const head = headPosition(seen);
  const end = seen.get('/body')?.start ?? seen.get('/html')?.start ?? (beginsText(last) ? last.start : last.end);
  return { head, end: Math.max(head, end), pictures };
}

type Attributes = ReadonlyMap<string, string>;
const pictureNames: ReadonlySet<string> = new Set(['og:image', 'og:image:url', 'og:image:secure_url', 'twitter:image']);

/** True for a `<meta>` that names a link picture by its path in the site. */
const isPicturePath = (attributes: Attributes): boolean =>
  pictureNames.has((attributes.get('property') ?? attributes.get('name') ?? '').trim().toLowerCase()) &&
  /^\/(?![\\/])/.test(attributes.get('content') ?? '');

const deciding: ReadonlySet<string> = new Set(['script', 'base', 'html', 'meta']);
const landmarks: ReadonlySet<string> = new Set(['!doctype', 'html', 'head', '/head', 'body']);

/** The end of the head. If the browser infers that end, the earliest position that is certainly in the head. */
function headPosition(seen: ReadonlyMap<string, Tag>): number {
  const headEnds = Math.min(seen.get('/head')?.start ?? Number.POSITIVE_INFINITY, seen.get('body')?.start ?? Number.POSITIVE_INFINITY);
  if (headEnds !== Number.POSITIVE_INFINITY) return headEnds;
  return (seen.get('head') ?? seen.get('html') ?? seen.get('!doctype'))?.end ?? 0;
}

function forbidsTracker(tag: string, attributes: Attributes): boolean {
  if (tag === 'script') return attributes.get('src')?.trim() === scriptPath;
  if (tag === 'base') return /^\s*(?:[a-z][\w+.-]*:|[\\/]{2})/i.test(attributes.get('href') ?? '');
  if (tag === 'html') return attributes.keys().some((name) => /^(?:amp|\u26a1)/.test(name));
  return attributes.get('name')?.toLowerCase() === 'webkiln:analytics' && attributes.get('content')?.trim().toLowerCase() === 'off';
}
