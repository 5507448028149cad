import { ascii, indexOfByte, isNameAt } from './ascii.ts';

/** Elements whose content is text up to their end tag. `noscript` is one of them in browsers that run scripts. */
export const textElements: ReadonlySet<string> = new Set(
  'title textarea style script xmp iframe noembed noframes noscript plaintext'.split(' '),
);

/** The start of the end tag for a text element with content at `from`; the length of the page if there is none. */
export function endOfText(html: Buffer, name: string, from: number): number {
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
