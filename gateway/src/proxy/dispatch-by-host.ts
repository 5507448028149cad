import type { RequestListener } from 'node:http';

/** Domains below which customers' pages are served. */
interface Domains {
  readonly sites: string;
  readonly previews: string;
}

interface Destinations {
  readonly sites: RequestListener;
  readonly analytics: RequestListener;
  readonly origin: RequestListener;
  readonly mcp: RequestListener;
}

const analyticsPath = /^\/(?:t\.js|t\.gif|api\/collect)(?:\?|$)/;
const mcpPath = /^\/api\/mcp(?:\?|$)/;

/**
 * Dispatches by host name, before Express: sites and previews to `sites`, their page-view counting to `analytics`,
 * agents on our own host to `mcp`,
 * the rest to `origin`.
 * Nothing of ours is ever served on customers' domains, nor customers' pages on our origin.
 */
export function dispatchByHost(domains: Domains, { sites, analytics, origin, mcp }: Destinations): RequestListener {
  const belowSites = below(domains.sites);
  const belowPreviews = below(domains.previews);
  const own: RequestListener = (request, response) => (mcpPath.test(request.url ?? '') ? mcp : origin)(request, response);
  return (request, response) => {
    const { host } = request.headers;
    if (host === undefined) own(request, response);
    else if (belowSites.test(host)) (analyticsPath.test(request.url ?? '') ? analytics : sites)(request, response);
    else (belowPreviews.test(host) ? sites : own)(request, response);
  };
}

const below = (domain: string) => new RegExp(`(?:^|\\.)${domain.replaceAll('.', '\\.')}\\.?(?::\\d*)?$`, 'i');
