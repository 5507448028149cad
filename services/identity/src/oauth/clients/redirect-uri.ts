const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Schemes of apps that have no dot. Others could be those of the system, which run something or open a file. */
const appSchemes: ReadonlySet<string> = new Set(
  ['claude', 'cursor', 'vscode', 'vscode-insiders', 'windsurf', 'zed'].map((scheme) => `${scheme}:`),
);
/** Browsers take more characters in a host, some of which have a meaning in the policy that names it. */
const hostPattern = /^(?:[a-z0-9.-]*|\[::1\])$/i;

export const maxRedirectUris = 20;
const maxLength = 2048;

const isLoopback = ({ protocol, hostname }: URL) => protocol === 'http:' && loopbackHosts.has(hostname);

/**
 * Why a client may not register this redirect URI, as the end of a sentence; undefined if it may. Allowed are https,
 * http on this machine (RFC 8252 §7.3) and private-use schemes (§7.1): with a dot, as the RFC has it, or of an app that
 * we know. None has a fragment (RFC 6749 §3.1.2).
 */
export function redirectUriProblem(text: unknown): string | undefined {
  if (typeof text !== 'string' || text === '' || text.length > maxLength) return `must be texts of 1 to ${maxLength} characters`;
  const url = /[\s\\]|\p{Cc}/u.test(text) ? null : URL.parse(text);
  if (url === null) return 'must be absolute URIs';
  if (text.includes('#')) return 'must not contain fragments';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (!hostPattern.test(url.hostname)) return 'must have a host of letters, digits, hyphens and dots';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:') return isLoopback(url) ? undefined : 'must use https, except for loopback addresses';
  const isPrivateUse = url.protocol.includes('.') || appSchemes.has(url.protocol);
  return isPrivateUse ? undefined : `must use https, or a scheme with a dot such as com.example.app, not ${url.protocol.slice(0, -1)}`;
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

interface Words {
  readonly thisComputer: (values: { readonly host: string }) => string;
  readonly appBehind: (values: { readonly scheme: string }) => string;
}

/** The destination of a code, for a person: "claude.ai", "this computer (localhost)", "the app behind cursor://". */
export function redirectHost(text: string, words: Words): string {
  const url = new URL(text);
  if (isLoopback(url)) return words.thisComputer({ host: url.hostname });
  return url.protocol === 'https:' ? url.host : words.appBehind({ scheme: `${url.protocol}//` });
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
