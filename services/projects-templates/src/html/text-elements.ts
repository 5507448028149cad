import { ascii, isNameAt, next } from './ascii.ts';

/** Elements whose content is text up to their end tag. A browser that runs scripts takes `noscript` for one of them. */
export const textElements: ReadonlySet<string> = new Set(
  'title textarea style script xmp iframe noembed noframes noscript plaintext'.split(' '),
);

/** Where the end tag of such an element begins whose content begins at `from`; the end where there is none. */
export function endOfText(html: Buffer, name: string, from: number): number {
  if (name === 'plaintext') return html.length;
  if (name === 'script') return endOfScript(html, from);
  let at = next(html, ascii.less, from);
  while (at < html.length && !isEndTagAt(html, at, name)) at = next(html, ascii.less, at + 1);
  return at;
}

const isEndTagAt = (html: Buffer, at: number, name: string) => html[at + 1] === ascii.slash && isNameAt(html, at + 2, name);

/**
 * A script that holds "<!--" is read as pages of the last century wanted it (HTML standard §13.2.5.17 on): up to "-->" a "<script" in it
 * makes its next end tag a part of the text.
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
