/** Scheme, perhaps user and password, host, perhaps a port (RFC 3986 §3.2); IPv6 addresses in brackets. */
const url = /^https?:\/\/(?:[^/\\?#@]*@)?([a-z0-9_.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d*)?(?:[/\\?#]|$)/i;

/** The host of the page that led to a view, in lower case; "" for none, the site's own, and what is no address of the web. */
export function referrerHost(referrer: string, ownHost: string): string {
  if (referrer === '') return '';
  const host = url.exec(referrer)?.[1]?.toLowerCase() ?? '';
  return host === ownHost ? '' : host;
}

/** A Host header without its port, in lower case. */
export const hostOf = (header: string): string => header.replace(/\.?(?::\d*)?$/, '').toLowerCase();
