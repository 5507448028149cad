import { ascii } from './ascii.ts';

const cdata = '<![CDATA[';
const cdataEnd = Buffer.from(']]>');

/**
 * Skips what starts like a tag but is none: a comment, a CDATA section (in SVG and MathML), or a "<" in text. Returns
 * the position after it, which is beyond the end if the page ends within it.
 */
export function skipMarkup(html: Buffer, start: number, isForeign: boolean): number {
  const second = html[start + 1];
  if (second === ascii.bang && html[start + 2] === ascii.dash && html[start + 3] === ascii.dash) return skipComment(html, start);
  if (isForeign && html.toString('latin1', start, start + cdata.length) === cdata) return indexAfter(html, cdataEnd, start);
  const isBogusComment = second === ascii.bang || second === ascii.question || second === ascii.slash;
  return isBogusComment ? indexAfter(html, ascii.greater, start + 2) : start + 1;
}

/** The position after the next occurrence; beyond the end if there is none. */
export function indexAfter(html: Buffer, bytes: Buffer | number, from: number): number {
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
