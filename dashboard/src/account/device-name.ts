import { texts } from '../texts.ts';

// Ordered: each browser's header also names some that come later in the list.
const browsers = { Edge: /\bEdg\//, Opera: /\bOPR\//, Firefox: /\bFirefox\//, Chrome: /Chrom(e|ium)\//, Safari: /\bSafari\// };
const systems = { Android: /Android/, iPhone: /iPhone/, iPad: /iPad/, Windows: /Windows/, macOS: /Macintosh/, Linux: /Linux/ };

const firstMatch = (names: Readonly<Record<string, RegExp>>, text: string) =>
  Object.entries(names).find(([, pattern]) => pattern.test(text))?.[0];

/** Names the device of a User-Agent header: "Firefox, Linux". */
export function deviceName(userAgent: string): string {
  return [firstMatch(browsers, userAgent), firstMatch(systems, userAgent)].filter(Boolean).join(', ') || texts.account.unknownDevice;
}
