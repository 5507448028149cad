import { ascii, isSpace } from './ascii.ts';

type Span = readonly [start: number, end: number];

/**
 * Reads the attributes of a tag from behind its name on. Returns the place just behind the tag's ">", or one beyond the end where the page ends
 * within it: such a tag is none.
 */
export function readAttributes(html: Buffer, from: number, found?: (name: Span, value: Span) => void): number {
  let name: Span | undefined;
  const ends = (value: Span) => {
    if (name !== undefined) found?.(name, value);
    name = undefined;
  };
  for (let at = from; at < html.length; ) {
    const byte = html[at];
    if (byte === ascii.greater) {
      ends([at, at]);
      return at + 1;
    }
    if (byte === ascii.equals && name !== undefined) {
      const value = valueAt(html, at + 1);
      ends(value.span);
      at = value.behind;
    } else if (isSpace(byte) || byte === ascii.slash) {
      // After a slash there is no value for what stood before it.
      if (byte === ascii.slash) ends([at, at]);
      at++;
    } else {
      ends([at, at]);
      const start = at++;
      while (at < html.length && !endsAttributeName(html[at])) at++;
      name = [start, at];
    }
  }
  return html.length + 1;
}

const endsAttributeName = (byte?: number) => byte === ascii.greater || byte === ascii.slash || byte === ascii.equals || isSpace(byte);

function valueAt(html: Buffer, from: number): { span: Span; behind: number } {
  let at = from;
  while (isSpace(html[at])) at++;
  const first = html[at];
  if (first === ascii.quote || first === ascii.apostrophe) {
    const end = html.indexOf(first, at + 1);
    return end === -1 ? { span: [at, at], behind: html.length } : { span: [at + 1, end], behind: end + 1 };
  }
  const start = at;
  while (at < html.length && html[at] !== ascii.greater && !isSpace(html[at])) at++;
  return { span: [start, at], behind: at };
}
