import type { RequestListener } from 'node:http';

/** The domains below which strangers' pages are. */
interface Domains {
  readonly sites: string;
  readonly previews: string;
}

interface Destinations {
  readonly sites: RequestListener;
  readonly analytics: RequestListener;
  readonly origin: RequestListener;
}

const counting = /^\/(?:t\.js|t\.gif|api\/collect)(?:\?|$)/;

/**
 * Sends a request for the domain of sites or previews, or any name below one, to `sites`, what counts a site's visits to `analytics`, and every
 * other one to `origin`, before any of them looks at it: nothing of ours is ever served where strangers' pages are, nor theirs here.
 */
export function dispatchByHost(domains: Domains, { sites, analytics, origin }: Destinations): RequestListener {
  const belowSites = below(domains.sites);
  const belowPreviews = below(domains.previews);
  return (request, response) => {
    const { host } = request.headers;
    if (host === undefined) origin(request, response);
    else if (belowSites.test(host)) (counting.test(request.url ?? '') ? analytics : sites)(request, response);
    else (belowPreviews.test(host) ? sites : origin)(request, response);
  };
}

const below = (domain: string) => new RegExp(`(?:^|\\.)${domain.replaceAll('.', '\\.')}\\.?(?::\\d*)?$`, 'i');
