/** Scheme, optional userinfo, host, optional port (RFC 3986 §3.2); IPv6 addresses in brackets. */
const url = /^https?:\/\/(?:[^/\\?#@]*@)?([a-z0-9_.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d*)?(?:[/\\?#]|$)/i;

/**
 * Returns the host of the referring page in lower case. Returns "" for no referrer, for the site itself, and for
 * anything but an http(s) URL.
 */
export function parseReferrerHost(referrer: string, ownHost: string): string {
  if (referrer === '') return '';
  const host = url.exec(referrer)?.[1]?.toLowerCase() ?? '';
  return host === ownHost ? '' : host;
}

/** Strips the port from a Host header and converts it to lower case. */
export const stripPort = (header: string): string => header.replace(/\.?(?::\d*)?$/, '').toLowerCase();
