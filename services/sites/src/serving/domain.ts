import { siteNames } from '@webkiln/contract';
import type { Resolutions } from '../resolutions/resolutions.ts';
import { endedPreview, methodNotAllowed, noFormsYet, noSuchSite, type PlainPage } from './plain-page.ts';

/** What is shown at the names right below one domain, and how. */
export interface Domain {
  /** The name in a Host header; undefined where the host is not of this domain. */
  readonly nameOf: (host: string | undefined) => string | undefined;
  readonly resolutions: Resolutions;
  /** Whether whoever knows a name sees what is not for everybody: then no log has one. */
  readonly namesAreSecret: boolean;
  /** What every answer says besides, names and values. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The answer where the name stands for nothing. */
  readonly nothing: PlainPage;
  /** The answer to whoever wants more than to read. */
  readonly readOnly: PlainPage;
}

/** Published sites, by name. */
export const publishedSites = (domain: string, resolutions: Resolutions): Domain => ({
  nameOf: siteNames(domain),
  resolutions,
  namesAreSecret: false,
  headers: [],
  nothing: noSuchSite,
  readOnly: methodNotAllowed,
});

const tokenForm = /^[a-z2-7]{26}$/;

/** Drafts, by preview token. Its host is all that a visitor needs to see one, so no page tells it to others: neither where a link leads nor a search engine. */
export const previews = (domain: string, resolutions: Resolutions): Domain => {
  const labelOf = siteNames(domain);
  return {
    nameOf: (host) => {
      const label = labelOf(host);
      return label !== undefined && tokenForm.test(label) ? label : undefined;
    },
    resolutions,
    namesAreSecret: true,
    headers: [
      ['Referrer-Policy', 'no-referrer'],
      ['X-Robots-Tag', 'noindex, nofollow'],
    ],
    nothing: endedPreview,
    readOnly: noFormsYet,
  };
};
