import { ascii, endsName, indexOfByte, isLetter, isNameAt, isSpace } from './ascii.ts';

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

/** Where the value of an attribute starts, after its quote; undefined if the tag has no such attribute. */
export function valueStart(html: Buffer, { nameEnd }: Tag, attribute: string): number | undefined {
  let found: number | undefined;
  readAttributes(html, nameEnd, (name, [start]) => {
    if (html.toString('utf8', ...name).toLowerCase() === attribute) found ??= start;
  });
  return found;
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

type Span = readonly [start: number, end: number];

/**
 * Reads the attributes of a tag, starting after its name. Returns the position after the tag's ">". If the page ends
 * within the tag, returns a position beyond the end, and the tag does not count.
 */
function readAttributes(html: Buffer, from: number, onAttribute?: (name: Span, value: Span) => void): number {
  let name: Span | undefined;
  const emit = (value: Span) => {
    if (name !== undefined) onAttribute?.(name, value);
    name = undefined;
  };
  for (let at = from; at < html.length; ) {
    const byte = html[at];
    if (byte === ascii.greater) {
      emit([at, at]);
      return at + 1;
    }
    if (byte === ascii.equals && name !== undefined) {
      const value = valueAt(html, at + 1);
      emit(value.span);
      at = value.next;
    } else if (isSpace(byte) || byte === ascii.slash) {
      // An attribute name before a slash has no value.
      if (byte === ascii.slash) emit([at, at]);
      at++;
    } else {
      emit([at, at]);
      const start = at++;
      while (at < html.length && !endsAttributeName(html[at])) at++;
      name = [start, at];
    }
  }
  return html.length + 1;
}

const endsAttributeName = (byte?: number) => byte === ascii.greater || byte === ascii.slash || byte === ascii.equals || isSpace(byte);

function valueAt(html: Buffer, from: number): { span: Span; next: number } {
  let at = from;
  while (isSpace(html[at])) at++;
  const first = html[at];
  if (first === ascii.quote || first === ascii.apostrophe) {
    const end = html.indexOf(first, at + 1);
    return end === -1 ? { span: [at, at], next: html.length } : { span: [at + 1, end], next: end + 1 };
  }
  const start = at;
  while (at < html.length && html[at] !== ascii.greater && !isSpace(html[at])) at++;
  return { span: [start, at], next: at };
}

const cdata = '<![CDATA[';
const cdataEnd = Buffer.from(']]>');

/**
 * Skips what starts like a tag but is none: a comment, a CDATA section (in SVG and MathML), or a "<" in text. Returns
 * the position after it, which is beyond the end if the page ends within it.
 */
function skipMarkup(html: Buffer, start: number, isForeign: boolean): number {
  const second = html[start + 1];
  if (second === ascii.bang && html[start + 2] === ascii.dash && html[start + 3] === ascii.dash) return skipComment(html, start);
  if (isForeign && html.toString('latin1', start, start + cdata.length) === cdata) return indexAfter(html, cdataEnd, start);
  const isBogusComment = second === ascii.bang || second === ascii.question || second === ascii.slash;
  return isBogusComment ? indexAfter(html, ascii.greater, start + 2) : start + 1;
}

/** The position after the next occurrence; beyond the end if there is none. */
function indexAfter(html: Buffer, bytes: Buffer | number, from: number): number {
  const at = html.indexOf(bytes, from);
  return at === -1 ? html.length + 1 : at + (typeof bytes === 'number' ? 1 : bytes.length);
}

/** A comment ends with "-->" or "--!>"; "<!-->" and "<!--->" are complete comments. */
function skipComment(html: Buffer, start: number): number {
  for (let at = start + 4; at < html.length; at++) {
    if (html[at] !== ascii.greater) continue;
    const dashesEnd = html[at - 1] === ascii.bang && at > start + 6 ? at - 1 : at;
    if (html[dashesEnd - 1] === ascii.dash && html[dashesEnd - 2] === ascii.dash) return at + 1;
  }
  return html.length + 1;
}

/** Elements whose content is text up to their end tag. `noscript` is one of them in browsers that run scripts. */
const textElements: ReadonlySet<string> = new Set('title textarea style script xmp iframe noembed noframes noscript plaintext'.split(' '));

/** The start of the end tag for a text element with content at `from`; the length of the page if there is none. */
function endOfText(html: Buffer, name: string, from: number): number {
  if (name === 'plaintext') return html.length;
  if (name === 'script') return endOfScript(html, from);
  let at = indexOfByte(html, ascii.less, from);
  while (at < html.length && !isEndTagAt(html, at, name)) at = indexOfByte(html, ascii.less, at + 1);
  return at;
}

const isEndTagAt = (html: Buffer, at: number, name: string) => html[at + 1] === ascii.slash && isNameAt(html, at + 2, name);

/**
 * A script containing "<!--" is in the escaped state (HTML standard §13.2.5.17 onwards): until "-->", a nested
 * "<script" makes the next end tag part of the text.
 */
function endOfScript(html: Buffer, from: number): number {
  let isEscaped = false;
  let isNested = false;
  for (let at = from; at < html.length; at++) {
    const byte = html[at];
    if (byte === ascii.greater && isEscaped && html[at - 1] === ascii.dash && html[at - 2] === ascii.dash) {
      isEscaped = false;
      isNested = false;
    }
    if (byte !== ascii.less) continue;
    if (isEndTagAt(html, at, 'script')) {
      if (!isNested) return at;
      isNested = false;
    } else if (isEscaped) isNested ||= isNameAt(html, at + 1, 'script');
    else isEscaped = html[at + 1] === ascii.bang && html[at + 2] === ascii.dash && html[at + 3] === ascii.dash;
  }
  return html.length;
}
