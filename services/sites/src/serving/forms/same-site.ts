import type { IncomingHttpHeaders } from 'node:http';

const pathLengthMost = 2048;

/**
 * Whether a request comes from a page of the site itself, as far as its headers tell (Fetch §3.2): browsers name the origin of every form that is
 * posted, and hide it ("null") where the page's referrer policy wants so; then `Sec-Fetch-Site` decides.
 */
export function isFromSameSite({ origin, host = '', 'sec-fetch-site': fetchSite }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return true;
  if (origin === 'null') return fetchSite === 'same-origin';
  const from = urlOf(origin);
  return from !== undefined && from.host === urlOf(`${from.protocol}//${host}`)?.host;
}

/** The path of the page that a request came from, "/" where that is not told or is no page of the site. */
export function pageOf({ referer = '', host = '' }: IncomingHttpHeaders): string {
  const page = urlOf(referer);
  const isOwn = page !== undefined && page.host === urlOf(`${page.protocol}//${host}`)?.host;
  return isOwn && page.pathname.length <= pathLengthMost ? page.pathname : '/';
}

const anySite = 'https://site.invalid';

/** The path, with query and fragment, that a form wants the visitor to be sent to, where it is one of the site. */
export function pathOnSite(wanted: string | undefined): string | undefined {
  if (wanted === undefined || !wanted.startsWith('/') || wanted.length > pathLengthMost) return undefined;
  const url = urlOf(wanted, anySite);
  // "//evil.example" and "/\evil.example" begin with a slash as well.
  return url?.origin === anySite ? `${url.pathname}${url.search}${url.hash}` : undefined;
}

const urlOf = (text: string, base?: string): URL | undefined => URL.parse(text, base) ?? undefined;
