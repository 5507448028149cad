import type { IncomingHttpHeaders } from 'node:http';

const maxPathLength = 2048;

/**
 * True if a request comes from a page of the site itself (Fetch §3.2). Browsers send the Origin of every posted form,
 * or "null" if the page's referrer policy hides it; then `Sec-Fetch-Site` decides.
 */
export function isFromSameSite({ origin, host = '', 'sec-fetch-site': fetchSite }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return true;
  if (origin === 'null') return fetchSite === 'same-origin';
  const from = parseUrl(origin);
  return from !== undefined && from.host === parseUrl(`${from.protocol}//${host}`)?.host;
}

/** The path of the referring page; "/" if there is no Referer or it is not a page of the site. */
export function pageOf({ referer = '', host = '' }: IncomingHttpHeaders): string {
  const page = parseUrl(referer);
  const isOwn = page !== undefined && page.host === parseUrl(`${page.protocol}//${host}`)?.host;
  return isOwn && page.pathname.length <= maxPathLength ? page.pathname : '/';
}

const anySite = 'https://site.invalid';

/** The redirect target that a form asks for, as path, query and fragment; undefined unless it stays on the site. */
export function pathOnSite(wanted: string | undefined): string | undefined {
  if (wanted === undefined || !wanted.startsWith('/') || wanted.length > maxPathLength) return undefined;
  const url = parseUrl(wanted, anySite);
  // "//evil.example" and "/\evil.example" begin with a slash as well.
  return url?.origin === anySite ? `${url.pathname}${url.search}${url.hash}` : undefined;
}

const parseUrl = (text: string, base?: string): URL | undefined => URL.parse(text, base) ?? undefined;
