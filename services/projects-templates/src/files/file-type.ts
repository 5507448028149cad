import { isUtf8 } from 'node:buffer';
import { extname } from 'node:path/posix';
import { contentType } from 'mime-types';
import { attributesOf, tagsOf } from '../html/tags.ts';

const unknown = 'application/octet-stream';
const sniffed = { text: 'text/plain; charset=utf-8', json: 'application/json; charset=utf-8', page: 'text/html; charset=utf-8' } as const;
const sniffedTypes: ReadonlySet<string> = new Set(Object.values(sniffed));
/** Types that browsers want and the table of media types lacks. */
const moreTypes: Readonly<Record<string, string>> = { '.cjs': 'text/javascript; charset=utf-8', '.svgz': 'image/svg+xml' };
const utf8 = /; charset=utf-8$/i;
/** Larger JSON is shown as text. */
const maxJsonBytes = 256 * 1024;
/** Browsers look for a page's encoding so far. */
const maxPrescannedBytes = 1024;

const typeByName = (path: string): string | undefined => {
  const extension = extname(path).toLowerCase();
  return moreTypes[extension] ?? (contentType(extension) || undefined);
};

/** True if the bytes tell the type: names without an extension, and what `.well-known` (RFC 8615) has. */
const isSniffed = (path: string) => extname(path) === '' || path.startsWith('.well-known/');

/**
 * The media type of a file: by its name, else text, JSON or HTML by its bytes. The encoding is stated for UTF-8 alone:
 * a header would win over what an older page or style says of itself.
 */
export function typeOf(path: string, content: Uint8Array): string {
  const type = typeByName(path) ?? (isSniffed(path) ? typeByBytes(content) : unknown);
  return utf8.test(type) && !isStatedUtf8(type, content) ? type.replace(utf8, '') : type;
}

/** The type at another path of a content whose bytes are not at hand. */
export function typeAt(path: string, typeBefore: string): string {
  const type = typeByName(path);
  if (type === undefined) return isSniffed(path) && sniffedTypes.has(typeBefore) ? typeBefore : unknown;
  return type.replace(utf8, '') === typeBefore ? typeBefore : type;
}

function typeByBytes(content: Uint8Array): string {
  if (content.byteLength === 0 || !isUtf8(content) || content.subarray(0, maxPrescannedBytes).some(isBinary)) return unknown;
  const beginning = beginningOf(content)
    .replace(/^\ufeff/, '')
    .trimStart();
  if (/^<(?:!doctype html|html)[\s>]/i.test(beginning)) return sniffed.page;
  return /^[{[]/.test(beginning) && content.byteLength <= maxJsonBytes && isJson(content) ? sniffed.json : sniffed.text;
}

/** Tab, line feed, form feed, carriage return and escape are text (MIME Sniffing standard §7.2). */
const isBinary = (byte: number) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte);
const beginningOf = (content: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(content.subarray(0, maxPrescannedBytes));

function isJson(content: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(content));
    return true;
  } catch {
    return false;
  }
}

function isStatedUtf8(type: string, content: Uint8Array): boolean {
  if (!isUtf8(content)) return false;
  if (!type.startsWith('text/html') || beginningOf(content).startsWith('\ufeff')) return true;
  const declared = declaredCharset(Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, maxPrescannedBytes)));
  return declared === undefined || /^(?:utf-?8|unicode-1-1-utf-8)$/i.test(declared);
}

/** The encoding that a `<meta>` in the beginning of a page names (HTML standard §13.2.3.2). */
function declaredCharset(beginning: Buffer): string | undefined {
  for (const tag of tagsOf(beginning)) {
    if (tag.name !== 'meta' || tag.isEndTag) continue;
    const attributes = attributesOf(beginning, tag);
    const isContentType = attributes.get('http-equiv')?.trim().toLowerCase() === 'content-type';
    const inContent = isContentType ? /charset\s*=\s*["']?([^\s"';]+)/i.exec(attributes.get('content') ?? '')?.[1] : undefined;
    const charset = attributes.get('charset')?.trim() || inContent;
    if (charset !== undefined) return charset;
  }
  return undefined;
}
