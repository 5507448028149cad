import { siteHosts, siteNames } from '@webkiln/contract';
import type { ResolutionCache } from '../resolutions/resolution-cache.ts';
import { formsOffInPreview, methodNotAllowed, type PlainPage, previewNotFound, siteNotFound } from './plain-page.ts';
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
  /** Sent to methods other than GET and HEAD. */
  readonly readOnly: PlainPage;
}

/**
 * Published sites, by label below `domain` or by their own domains. `otherHosts` are those of previews and of the
 * platform itself, where no site is.
 */
export const publishedSites = (domain: string, otherHosts: readonly string[], resolutions: ResolutionCache): Domain => ({
  nameOf: siteHosts(domain, otherHosts),
  resolutions,
  namesAreSecret: false,
  headers: [],
  notFound: siteNotFound,
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
    readOnly: formsOffInPreview,
  };
};
