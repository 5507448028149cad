/** The bytes of HTML syntax. */
export const ascii = {
  bang: 0x21,
  quote: 0x22,
  dash: 0x2d,
  apostrophe: 0x27,
  slash: 0x2f,
  less: 0x3c,
  equals: 0x3d,
  greater: 0x3e,
  question: 0x3f,
} as const;

export const isLetter = (byte = 0): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;

/** Tab, line feed, form feed, carriage return, space. */
export const isSpace = (byte = 0): boolean => byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d || byte === 0x0c;

export const endsName = (byte?: number): boolean => byte === ascii.greater || byte === ascii.slash || isSpace(byte);

/** True if the complete name at this position equals `name`, which is in lower case. */
export const isNameAt = (html: Buffer, at: number, name: string): boolean =>
  endsName(html[at + name.length]) && html.toString('latin1', at, at + name.length).toLowerCase() === name;

/** The position of the next such byte; the length of the page if there is none. */
export function indexOfByte(html: Buffer, byte: number, from: number): number {
  let at = from;
  while (at < html.length && html[at] !== byte) at++;
  return at;
}
