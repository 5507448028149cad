import { ascii, isSpace } from './ascii.ts';

type Span = readonly [start: number, end: number];

/**
 * Reads the attributes of a tag, starting after its name. Returns the position after the tag's ">". If the page ends
 * within the tag, returns a position beyond the end, and the tag does not count.
 */
export function readAttributes(html: Buffer, from: number, onAttribute?: (name: Span, value: Span) => void): number {
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
