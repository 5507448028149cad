/** A line of `_redirects` that is served. */
export interface RedirectRule {
  /** The pattern of a path: decoded, in NFC, with at most one `*`, and `:names` for whole segments. */
  readonly from: string;
  /** Only at this host; empty for all. */
  readonly host: string;
  /** A path of the site, or for a redirect an address whose host is fixed, in ASCII. May name what `from` matched. */
  readonly to: string;
  readonly status: number;
  /** Also where the site has a file. */
  readonly is_forced: boolean;
  /** The parameters that a request must have: a value, or `:name` for any. */
  readonly query: readonly { readonly name: string; readonly value: string }[];
}

/** The headers of the files at the paths of a pattern. An empty value takes a header away. */
export interface HeaderRule {
  readonly for: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/** What a site's `_redirects` and `_headers` say, in their order. */
export interface SiteRules {
  readonly redirects: readonly RedirectRule[];
  readonly headers: readonly HeaderRule[];
}

export const noRules: SiteRules = { redirects: [], headers: [] };

/** The files that hold the rules of a site: settings, which visitors do not get. */
export const rulesPaths = { redirects: '_redirects', headers: '_headers' } as const;
