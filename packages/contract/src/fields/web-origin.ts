import * as z from 'zod';

const mostCharacters = 300;
const sentence = 'must be an origin such as https://app.example.com: no path, no wildcard, http for localhost alone';
const written = /^https?:\/\/[^/?#@\\\s]+\/?$/i;
/** What a host-source of a Content-Security-Policy may have (CSP3 §2.3.1): nothing in it can end the directive that it stands in. */
const hostForm = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;
const localHosts = new Set(['localhost', '127.0.0.1']);

/** The origin as the URL standard writes it (host in ASCII, no default port, no slash at the end); undefined for what is none that may be allowed. */
function originOf(text: string): string | undefined {
  if (!written.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, hostname, origin } = new URL(text);
  if (protocol === 'http:' && !localHosts.has(hostname)) return undefined;
  return hostForm.test(hostname) ? origin : undefined;
}

/** Where pages of somebody's come from: scheme, host and port. */
export const WebOrigin = z
  .string({ error: 'must be a string' })
  .max(mostCharacters, `must have at most ${mostCharacters} characters`)
  .transform((text, context) => {
    const origin = originOf(text.trim());
    if (origin === undefined) context.addIssue({ code: 'custom', message: sentence });
    return origin ?? z.NEVER;
  });
