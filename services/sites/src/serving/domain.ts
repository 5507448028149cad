import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, siteHosts, siteNames } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import type { ResolutionCache } from '../resolutions/resolution-cache.ts';
import type { Site } from '../resolutions/site.ts';
import {
  absenceNotices,
  formsOffInPreview,
  methodNotAllowed,
  type PlainPage,
  previewNotFound,
  sendPage,
  siteTakenDown,
  tooManyNames,
  unavailable,
} from './plain-page.ts';
import type { FramedPages } from './preview/framed-pages.ts';

/** Hosts by whose name pages are served, and how. */
export interface Domain {
  /** The name in a Host header; undefined if the host is none of these. */
  readonly nameOf: (host: string | undefined) => string | undefined;
  readonly resolutions: ResolutionCache;
  /** True if the host name itself grants access (preview links). Such names are never logged. */
  readonly namesAreSecret: boolean;
  /** Sent with every response. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The additions to pages in a frame; undefined for none. */
  readonly framed?: FramedPages;
  /** Sent if the name resolves to nothing. */
  readonly notFound: PlainPage;
  /** Sent instead of a site that an operator took down. */
  readonly takenDown: PlainPage;
  /** Sent to methods other than GET and HEAD. */
  readonly readOnly: PlainPage;
}

/**
 * Published sites, by label below `domain` or by their own domains. `otherHosts` are those of previews and of the
 * platform itself, where no site is. `abuseContact`: where visitors report a site.
 */
export const publishedSites = (
  domain: string,
  otherHosts: readonly string[],
  resolutions: ResolutionCache,
  abuseContact?: string,
): Domain => ({
  nameOf: siteHosts(domain, otherHosts),
  resolutions,
  namesAreSecret: false,
  headers: [],
  ...absenceNotices(abuseContact),
  readOnly: methodNotAllowed,
});

const tokenPattern = /^[a-z2-7]{26}$/;

/**
 * Drafts, by preview token. The host alone grants access, so the headers keep it from linked sites (Referrer-Policy)
 * and search engines.
 */
export const previews = (domain: string, resolutions: ResolutionCache, framed: FramedPages): Domain => {
  const labelOf = siteNames(domain);
  return {
    nameOf: (host) => {
      const label = labelOf(host);
      return label !== undefined && tokenPattern.test(label) ? label : undefined;
    },
    resolutions,
    namesAreSecret: true,
    framed,
    headers: [
      ['Referrer-Policy', 'no-referrer'],
      ['X-Robots-Tag', 'noindex, nofollow'],
    ],
    notFound: previewNotFound,
    takenDown: siteTakenDown,
    readOnly: formsOffInPreview,
  };
};

/** One request to a site or preview, and its response. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly domain: Domain;
  readonly name: string;
  /** True once the site was resolved again because its files were gone, which means that another deploy is live. */
  isRetry: boolean;
}

/**
 * The site at a name, null for none; at once if it is in memory. A lookup that finds nothing is told to the gateway,
 * which limits them per network. Rejects with `rate_limited` beyond the limit.
 */
export function siteAt(
  resolutions: Pick<ResolutionCache, 'cached' | 'find'>,
  name: string,
  { request, response }: Pick<Visit, 'request' | 'response'>,
): Site | null | Promise<Site | null> {
  const cached = resolutions.cached(name);
  if (cached !== undefined) return cached;
  const tellGateway = () => response.headersSent || response.setHeader('x-webkiln-unknown-name', '1');
  if (request.headers['x-webkiln-known-names-only'] !== undefined) {
    tellGateway();
    return Promise.reject(new AppError('rate_limited'));
  }
  return resolutions.find(name).then((site) => {
    if (site === null) tellGateway();
    return site;
  });
}

/** Responds 503 to a visit that cannot be served, and logs why; 429 to one whose name must not be looked up. */
export function failVisit({ domain, name, response }: Visit, error: unknown): void {
  if (error instanceof AppError && error.code === 'rate_limited') return void sendPage(response, tooManyNames);
  const site = domain.namesAreSecret ? undefined : name;
  if (error instanceof AppError) logger.warn({ err: error, site }, 'site unavailable; responding 503');
  else logger.error({ err: error, site }, 'visit failed; responding 503');
  if (response.headersSent) response.destroy();
  else sendPage(response, unavailable);
}
