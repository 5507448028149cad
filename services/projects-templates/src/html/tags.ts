import { ascii, endsName, indexOfByte, isLetter } from './ascii.ts';
import { readAttributes } from './attributes.ts';
import { indexAfter, skipMarkup } from './markup.ts';
import { endOfText, textElements } from './text-elements.ts';

/** A tag of a page, or its doctype (named "!doctype"): the bytes from `start` (inclusive) to `end` (exclusive). */
export interface Tag {
  /** In lower case, truncated to 16 bytes. */
  readonly name: string;
  /** True for an end tag. */
  readonly isEndTag: boolean;
  readonly start: number;
  readonly nameEnd: number;
  readonly end: number;
}

const maxNameLength = 16;
const doctype = '!doctype';

/** True if the content of the element is text, not markup. */
export const beginsText = ({ name, isEndTag }: Tag): boolean => !isEndTag && textElements.has(name);

/**
 * Yields the tags of a page in order, as the tokenizer of the HTML standard (§13.2.5) finds them. Comments, scripts and
 * other text are skipped. Runs in linear time on any input, and in constant memory.
 */
export function* tagsOf(html: Buffer): Generator<Tag> {
  let foreign = 0;
  for (let start = indexOfByte(html, ascii.less, 0), at = start; start < html.length; start = indexOfByte(html, ascii.less, at)) {
    const tag = tagAt(html, start);
    if (tag === undefined) {
      at = skipMarkup(html, start, foreign > 0);
      continue;
    }
    if (tag.end > html.length) return;
    yield tag;
    const isEmpty = html[tag.end - 2] === ascii.slash;
    if (tag.name === 'svg' || tag.name === 'math') foreign = tag.isEndTag ? Math.max(0, foreign - 1) : foreign + (isEmpty ? 0 : 1);
    const isText = beginsText(tag) && !(foreign > 0 && isEmpty);
    at = isText ? endOfText(html, tag.name, tag.end) : tag.end;
  }
}

/**
 * The attributes of a tag, with names in lower case. The first of duplicates counts; character references are not
 * decoded.
 */
export function attributesOf(html: Buffer, { nameEnd }: Tag): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  readAttributes(html, nameEnd, (name, value) => {
    const key = html.toString('utf8', ...name).toLowerCase();
    if (!attributes.has(key)) attributes.set(key, html.toString('utf8', ...value));
  });
  return attributes;
}

function tagAt(html: Buffer, start: number): Tag | undefined {
  const isEndTag = html[start + 1] === ascii.slash;
  const nameAt = isEndTag ? start + 2 : start + 1;
  if (html[start + 1] === ascii.bang && nameOf(html, nameAt, nameAt + doctype.length) === doctype) {
    const nameEnd = nameAt + doctype.length;
    return { name: doctype, isEndTag, start, nameEnd, end: indexAfter(html, ascii.greater, nameEnd) };
  }
  if (!isLetter(html[nameAt])) return undefined;
  let nameEnd = nameAt;
  while (nameEnd < html.length && !endsName(html[nameEnd])) nameEnd++;
  return { name: nameOf(html, nameAt, nameEnd), isEndTag, start, nameEnd, end: readAttributes(html, nameEnd) };
}

const nameOf = (html: Buffer, from: number, to: number) => html.toString('latin1', from, Math.min(to, from + maxNameLength)).toLowerCase();
