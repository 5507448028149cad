const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Schemes that a browser or the system handles itself: a code sent there reaches no client, or runs as a script. */
const reservedSchemes: ReadonlySet<string> = new Set(
  [
    'javascript',
    'vbscript',
    'data',
    'blob',
    'file',
    'filesystem',
    'about',
    'view-source',
    'ftp',
    'ws',
    'wss',
    'mailto',
    'tel',
    'sms',
    'intent',
  ].map((scheme) => `${scheme}:`),
);

export const maxRedirectUris = 20;
const maxLength = 2048;

const isLoopback = ({ protocol, hostname }: URL) => protocol === 'http:' && loopbackHosts.has(hostname);

/**
 * Why a client may not register this redirect URI, as the end of a sentence; undefined if it may. Allowed are https,
 * http on this machine (RFC 8252 §7.3) and private-use schemes (§7.1), without a fragment (RFC 6749 §3.1.2).
 */
export function redirectUriProblem(text: unknown): string | undefined {
  if (typeof text !== 'string' || text === '' || text.length > maxLength) return `must be texts of 1 to ${maxLength} characters`;
  const url = /[\s\\]|\p{Cc}/u.test(text) ? null : URL.parse(text);
  if (url === null) return 'must be absolute URIs';
  if (text.includes('#')) return 'must not contain fragments';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:') return isLoopback(url) ? undefined : 'must use https, except for loopback addresses';
  return reservedSchemes.has(url.protocol) ? `must not use the scheme ${url.protocol.slice(0, -1)}` : undefined;
}

/** True if the requested URI is a registered one; on loopback the port is free (RFC 8252 §7.3). */
export function isRegistered(requested: string, registered: readonly string[]): boolean {
  if (registered.includes(requested)) return true;
  const bare = withoutLoopbackPort(requested);
  return bare !== undefined && redirectUriProblem(requested) === undefined && registered.some((uri) => withoutLoopbackPort(uri) === bare);
}

/** The text without its port; undefined unless it is http on loopback. The rest is compared as it was sent. */
function withoutLoopbackPort(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !isLoopback(url)) return undefined;
  return text.replace(/^(http:\/\/(?:\[::1\]|[^:/?]+)):\d{1,5}(?=[/?]|$)/i, '$1');
}

/** The destination of a code, for a person: "claude.ai", "this computer (localhost)", "the app behind cursor://". */
export function redirectHost(text: string): string {
  const url = new URL(text);
  if (isLoopback(url)) return `this computer (${url.hostname})`;
  return url.protocol === 'https:' ? url.host : `the app behind ${url.protocol}//`;
}

/**
 * The source expression for `form-action` (CSP 3): browsers check the redirect that follows a form, too. It cannot name
 * an IPv6 address; the scheme stands for that.
 */
export function redirectSource(text: string): string {
  const url = new URL(text);
  if (url.hostname.startsWith('[')) return url.protocol;
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol;
}

/** True if the URI proves who receives the code: https belongs to its host, other addresses to any program. */
export const provesReceiver = (text: string): boolean => {
  const url = new URL(text);
  return url.protocol === 'https:' && !loopbackHosts.has(url.hostname);
};
