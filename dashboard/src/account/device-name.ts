import { texts } from '../texts.ts';

// What each claims to be besides comes later in the list.
const browsers = { Edge: /\bEdg\//, Opera: /\bOPR\//, Firefox: /\bFirefox\//, Chrome: /Chrom(e|ium)\//, Safari: /\bSafari\// };
const systems = { Android: /Android/, iPhone: /iPhone/, iPad: /iPad/, Windows: /Windows/, macOS: /Macintosh/, Linux: /Linux/ };

const found = (names: Readonly<Record<string, RegExp>>, text: string) => Object.entries(names).find(([, form]) => form.test(text))?.[0];

/** A browser's User-Agent header as its owner would say it: "Firefox, Linux". */
export function deviceName(userAgent: string): string {
  return [found(browsers, userAgent), found(systems, userAgent)].filter(Boolean).join(', ') || texts.account.unknownDevice;
}
