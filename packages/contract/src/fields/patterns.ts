/**
 * Patterns of the API document (JSON Schema 2020-12, ECMA-262 with the `u` flag). They spell characters out, because
 * `\s` and flags differ between the languages that read the document.
 */
const whitespace = '\\x09-\\x0d\\x20\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

/**
 * Characters that show nothing: controls, Default_Ignorable_Code_Point up to U+FFFF (languages differ in what is
 * beyond), and the blank pattern of Braille.
 */
const invisible = [
  '\\x00-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e',
  '\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0\\ufff0-\\ufff8',
].join('');

/** Text without NUL. */
export const plainText = '^[^\\x00]*$';
/** Text without NUL that shows something: more than white space and characters without a width. */
export const visibleText = `^[^\\x00]*[^${whitespace}${invisible}][^\\x00]*$`;

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const topLabel = '(?:[A-Za-z]{2,63}|[Xx][Nn]--[A-Za-z0-9-]{0,58}[A-Za-z0-9])';
/**
 * An email address as browsers take it (HTML, `input type=email`), but with a dot in its domain and at most 64
 * characters before the `@` (RFC 5321 §4.5.3) and no `=?`: some mail programs decode that as an encoded word (RFC 2047)
 * to another address. An internationalized domain is in its ASCII form.
 */
export const emailAddress = `^(?![^@]*=\\?)[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@(?:${label}\\.)+${topLabel}$`;

const octet = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const ipv4 = `(?:${octet}\\.){3}${octet}`;
const group = '[0-9A-Fa-f]{1,4}';
/** RFC 4291 §2.2, without dotted decimals. */
const ipv6 = `(?:${[
  `(?:${group}:){7}${group}`,
  `(?:${group}:){1,7}:`,
  `(?:${group}:){1,6}:${group}`,
  ...[2, 3, 4, 5, 6].map((after) => `(?:${group}:){1,${7 - after}}(?::${group}){1,${after}}`),
  `:(?:(?::${group}){1,7}|:)`,
].join('|')})`;
/** An IP address or a network in CIDR notation. */
export const network = `^(?:${ipv4}(?:/(?:3[0-2]|[12]?[0-9]))?|${ipv6}(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$`;
const port = '(?::(?:[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?';
/** A last label that the URL standard does not read as a number. */
const lastLabel = (characters: string) => `[${characters}]*[A-Za-z][${characters}]*`;
const host = (characters: string) => `(?:(?:[${characters}]+\\.)*(?!0[Xx])${lastLabel(characters)}|${ipv4})`;
const scheme = { https: '[Hh][Tt][Tt][Pp][Ss]', either: '[Hh][Tt][Tt][Pp][Ss]?', http: '[Hh][Tt][Tt][Pp]' };

const uriCharacter = "(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})";
/** Path, query and fragment of a URI (RFC 3986 §3.3–3.5). */
const afterHost = `(?:[/?]${uriCharacter}*)?(?:#${uriCharacter}*)?`;
/** A URI with an authority, however its host is spelled. */
export const uri = `^[^/?#]+//[A-Za-z0-9._~!$&'()*+,;=:@%[\\]-]*${afterHost}$`;

/**
 * An http or https URL with an ASCII host, without user or password. Validation may accept other spellings of a host.
 */
export const httpUrl = `^[${whitespace}]*${scheme.either}://${host('A-Za-z0-9_-')}${port}${afterHost}[${whitespace}]*$`;

/**
 * An https URL that a webhook can have on any platform: a name with a dot, on port 443 or 8443. Validation leaves IP
 * addresses, and what the settings allow, to the service.
 */
export const webhookUrl = `^[${whitespace}]*${scheme.https}://(?:[A-Za-z0-9_-]+\\.)+(?!0[Xx])${lastLabel('A-Za-z0-9_-')}(?::(?:443|8443))?${afterHost}[${whitespace}]*$`;

const local = '(?:[Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]|127\\.0\\.0\\.1)';
/** An https origin, or an http one of this machine. Validation may accept other spellings of a host. */
export const webOrigin = `^[${whitespace}]*(?:${scheme.https}://${host('A-Za-z0-9-')}|${scheme.http}://${local})${port}/?[${whitespace}]*$`;

const base64 = (characters: string) => `${characters}(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?`;
const breaks = '[\\x0a\\x0d]*';
const sextets = (count: number) => `(?:[A-Za-z0-9+/]${breaks}){${count}}`;
/** Base64 (RFC 4648 §4) with its padding, and with line breaks where MIME encoders write them (RFC 2045 §6.8). */
export const base64Lines = `^${breaks}(?:${sextets(4)})*(?:${sextets(2)}=${breaks}=${breaks}|${sextets(3)}=${breaks})?$`;
/** Base64 of bytes that begin as PNG, JPEG or WebP files do: the magic numbers, shifted into base64's six bits. */
export const base64Picture = `^(?:${[
  `iVBORw0KGg(?:o=|${base64('[o-r][A-Za-z0-9+/]')})`,
  base64('/9j/'),
  base64('UklGR[g-v][A-Za-z0-9+/]{4}[BFJNRVZdhlptx159]XRUJQ'),
].join('|')})$`;

const segment = '(?!\\.\\.?(?:/|$))[^/\\\\\\x00-\\x1f\\x7f-\\x9f]+';
/** A file's path in a site: relative, normalised, and not reserved for the platform. At most 1,024 bytes of UTF-8. */
export const filePath = `^(?!(?:t\\.js|t\\.gif|api/collect)$|_forms/)${segment}(?:/${segment})*$`;

/** A SHA-256 digest in hexadecimal. */
export const sha256Text = '^[0-9a-f]{64}$';

const visible = '\\x21-\\x7e\\x80-\\xff';
/** A header's value as it arrives: not empty, no white space around it. */
export const headerValue = `^[${visible}](?:[\\x09\\x20${visible}]*[${visible}])?$`;
const entityTag = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
/** RFC 9110 §13.1.1: `*` or entity tags. */
export const entityTags = `^(?:\\*|${entityTag}(?:[\\x09\\x20]*,[\\x09\\x20]*${entityTag})*)$`;
