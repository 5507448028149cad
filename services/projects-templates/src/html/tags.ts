import { ascii, endsName, isLetter, next } from './ascii.ts';
import { readAttributes } from './attributes.ts';
import { behind, behindMarkup } from './markup.ts';
import { endOfText, textElements } from './text-elements.ts';

/** A tag of a page, or its doctype (named "!doctype"): from byte `start` up to byte `end`, not included. */
export interface Tag {
  /** In lower case, its first 16 bytes. */
  readonly name: string;
  /** Whether it is an end tag. */
  readonly closes: boolean;
  readonly start: number;
  readonly nameEnd: number;
  readonly end: number;
}

const longestName = 16;
const doctype = '!doctype';

/** Whether what follows the tag is text rather than markup. */
export const beginsText = ({ name, closes }: Tag): boolean => !closes && textElements.has(name);

/**
 * The tags of a page in their order, as the tokenizer of the HTML standard (§13.2.5) finds them: none that only looks like one, in a comment, a
 * script or another text. Each byte is looked at a few times at most whatever the page is, and nothing is kept.
 */
export function* tagsOf(html: Buffer): Generator<Tag> {
  let foreign = 0;
  for (let start = next(html, ascii.less, 0), at = start; start < html.length; start = next(html, ascii.less, at)) {
    const tag = tagAt(html, start);
    if (tag === undefined) {
      at = behindMarkup(html, start, foreign > 0);
      continue;
    }
    if (tag.end > html.length) return;
    yield tag;
    const isEmpty = html[tag.end - 2] === ascii.slash;
    if (tag.name === 'svg' || tag.name === 'math') foreign = tag.closes ? Math.max(0, foreign - 1) : foreign + (isEmpty ? 0 : 1);
    const isText = beginsText(tag) && !(foreign > 0 && isEmpty);
    at = isText ? endOfText(html, tag.name, tag.end) : tag.end;
  }
}

/** The attributes of a tag, their names in lower case; of two with one name the first counts, and references in values stay as they are. */
export function attributesOf(html: Buffer, { nameEnd }: Tag): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  readAttributes(html, nameEnd, (name, value) => {
    const key = html.toString('utf8', ...name).toLowerCase();
    if (!attributes.has(key)) attributes.set(key, html.toString('utf8', ...value));
  });
  return attributes;
}

function tagAt(html: Buffer, start: number): Tag | undefined {
  const closes = html[start + 1] === ascii.slash;
  const nameAt = closes ? start + 2 : start + 1;
  if (html[start + 1] === ascii.bang && nameOf(html, nameAt, nameAt + doctype.length) === doctype) {
    const nameEnd = nameAt + doctype.length;
    return { name: doctype, closes, start, nameEnd, end: behind(html, ascii.greater, nameEnd) };
  }
  if (!isLetter(html[nameAt])) return undefined;
  let nameEnd = nameAt;
  while (nameEnd < html.length && !endsName(html[nameEnd])) nameEnd++;
  return { name: nameOf(html, nameAt, nameEnd), closes, start, nameEnd, end: readAttributes(html, nameEnd) };
}

const nameOf = (html: Buffer, from: number, to: number) => html.toString('latin1', from, Math.min(to, from + longestName)).toLowerCase();
