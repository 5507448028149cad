import * as z from 'zod';
import { webOrigin } from './patterns.ts';

const maxCharacters = 300;
const sentence = 'must be an origin such as https://app.example.com: no path, no wildcard, http for localhost alone';
const written = /^https?:\/\/[^/?#@\\\s]+\/?$/i;
/** The characters of a CSP host-source (CSP3 §2.3.1): none of them can end the directive. */
const hostForm = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;
const localHosts = new Set(['localhost', '127.0.0.1']);

/**
 * The origin as the URL standard writes it: ASCII host, no default port, no trailing slash. Undefined if it is not
 * allowed.
 */
function originOf(text: string): string | undefined {
  if (!written.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, hostname, origin } = new URL(text);
  if (protocol === 'http:' && !localHosts.has(hostname)) return undefined;
  return hostForm.test(hostname) ? origin : undefined;
}

/** The origin of a page: scheme, host and port. */
export const WebOrigin = z
  .string({ error: 'must be a string' })
  .max(maxCharacters, `must have at most ${maxCharacters} characters`)
  .transform((text, context) => {
    const origin = originOf(text.trim());
    if (origin === undefined) context.addIssue({ code: 'custom', message: sentence });
    return origin ?? z.NEVER;
  })
  .meta({ override: { type: 'string', maxLength: maxCharacters, pattern: webOrigin } });
