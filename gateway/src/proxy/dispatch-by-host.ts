import type { RequestListener } from 'node:http';
import { customDomains } from '@webkiln/contract';
import type { CustomDomains } from './custom-domains.ts';

/** Domains below which customers' pages are served, and the platform's own host. */
interface Domains {
  readonly sites: string;
  readonly previews: string;
  readonly origin: string;
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
 * Dispatches by host name, before Express: sites, also at customers' own domains, and previews to `sites`, their
 * page-view counting to `analytics`, agents on our own host to `mcp`, the rest to `origin`.
 * Nothing of ours is ever served on customers' domains, nor customers' pages on our origin.
 */
export function dispatchByHost(
  domains: Domains,
  known: Pick<CustomDomains, 'cached' | 'find'>,
  { sites, analytics, origin, mcp }: Destinations,
): RequestListener {
  const belowSites = below(domains.sites);
  const belowPreviews = below(domains.previews);
  const customDomain = customDomains([domains.sites, domains.previews, domains.origin]);
  const own: RequestListener = (request, response) => (mcpPath.test(request.url ?? '') ? mcp : origin)(request, response);
  const site: RequestListener = (request, response) => (analyticsPath.test(request.url ?? '') ? analytics : sites)(request, response);
  return (request, response) => {
    const { host } = request.headers;
    if (host === undefined) return own(request, response);
    if (belowSites.test(host)) return site(request, response);
    if (belowPreviews.test(host)) return sites(request, response);
    const name = customDomain(host);
    if (name === undefined) return own(request, response);
    const isSite = known.cached(name);
    if (isSite !== undefined) return (isSite ? site : own)(request, response);
    void known.find(name).then((found) => (found ? site : own)(request, response));
  };
}

const below = (domain: string) => new RegExp(`(?:^|\\.)${domain.replaceAll('.', '\\.')}\\.?(?::\\d*)?$`, 'i');
