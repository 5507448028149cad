import type { IncomingMessage, RequestListener } from 'node:http';
import { AppError, customDomains } from '@webkiln/contract';
import { feedIsLive, listen, onFeedRestored } from '@webkiln/events/listening';
import { trustedProxy } from '@webkiln/http';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { growingTo, logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import { refuse } from '../api/response-writer.ts';

/** Domains below which customers' pages are served, and the platform's own hosts. */
interface Domains {
  readonly sites: string;
  readonly previews: string;
  readonly origin: string;
  /** Other names at which the platform itself is reached, in lower case. */
  readonly aliases: readonly string[];
}

interface Destinations {
  readonly sites: RequestListener;
  readonly analytics: RequestListener;
  readonly origin: RequestListener;
  readonly mcp: RequestListener;
}

/** Bounds the lookups of names without a site, by the network of a request. */
interface UnknownNameQuota {
  readonly isRefused: (request: IncomingMessage) => boolean;
  /** Resolves when the request is to be answered. */
  readonly count: (request: IncomingMessage) => Promise<void>;
}

const analyticsPath = /^\/(?:t\.js|t\.gif|api\/collect)(?:\?|$)/;
const mcpPath = /^\/api\/mcp\/?(?:\?|$)/;

/**
 * Dispatches by host name, before Express: sites, also at customers' own domains, and previews to `sites`, their
 * page-view counting to `analytics`, agents on our own host to `mcp`, the rest of our own host to `origin`. Any other
 * host gets 421: nothing of ours is ever served on customers' domains, nor customers' pages on our origin.
 */
export function dispatchByHost(
  domains: Domains,
  known: Pick<CustomDomains, 'cached' | 'find'>,
  { sites, analytics, origin, mcp }: Destinations,
  { isRefused, count }: UnknownNameQuota,
): RequestListener {
  const belowSites = below(domains.sites);
  const belowPreviews = below(domains.previews);
  const customDomain = customDomains([domains.sites, domains.previews, domains.origin]);
  const isOwn = ownHosts([domains.origin, ...domains.aliases]);
  const own: RequestListener = (request, response) => (mcpPath.test(request.url ?? '') ? mcp : origin)(request, response);
  const site: RequestListener = (request, response) => (analyticsPath.test(request.url ?? '') ? analytics : sites)(request, response);
  return (request, response) => {
    const { host } = request.headers;
    if (host === undefined) return own(request, response);
    if (belowSites.test(host)) return site(request, response);
    if (belowPreviews.test(host)) return sites(request, response);
    if (isOwn(host)) return own(request, response);
    const name = customDomain(host);
    if (name === undefined) return misdirected(request, response);
    const isSite = known.cached(name);
    if (isSite !== undefined) return (isSite ? site : misdirected)(request, response);
    if (isRefused(request)) return void count(request).then(() => tooManyNames(request, response));
    void known.find(name).then(async (found) => {
      if (!found) await count(request);
      (found ? site : misdirected)(request, response);
    });
  };
}

const hostForm = /^(\[[0-9a-f:.]{2,45}\]|[^:[\]]{1,253})(?::\d{0,5})?$/;

/**
 * Returns a function that tells whether a Host header is one of these names, or an address of this machine or its
 * network, as health checks send it.
 */
function ownHosts(names: readonly string[]): (host: string) => boolean {
  const own = new Set([...names, 'localhost']);
  const isInternal = trustedProxy(['loopback', 'linklocal', 'uniquelocal']);
  return (host) => {
    const name = hostForm.exec(host.toLowerCase())?.[1] ?? '';
    return own.has(name.replace(/\.$/, '')) || isInternal(name.replace(/^\[|\]$/g, ''));
  };
}

function plainText(status: number, text: string, more: readonly string[] = []): RequestListener {
  const body = Buffer.from(`${text}\n`);
  const headers = ['Content-Type', 'text/plain; charset=utf-8', 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff', ...more];
  return (_request, response) => void response.writeHead(status, [...headers, 'Content-Length', String(body.byteLength)]).end(body);
}

const noSite = plainText(421, 'There is no website at this address. Its owner finds in the builder, under Domains, what is missing.');
/** RFC 9110 §15.5.20. Programs get the API's error body. */
const misdirected: RequestListener = (request, response) =>
  request.url?.startsWith('/api/') ? refuse(response, new AppError('unknown_host')) : noSite(request, response);
const tooManyNames = plainText(429, 'Too many addresses without a website were asked for from your network. Try again in a minute.', [
  'Retry-After',
  '60',
]);

const below = (domain: string) => new RegExp(`(?:^|\\.)${domain.replaceAll('.', '\\.')}\\.?(?::\\d*)?$`, 'i');

const lookupTimeoutMs = 2000;
const maxAgeMs = 60_000;
/** While no change events arrive. */
const maxAgeWithoutFeedMs = 800;
const maxNames = 50_000;
/** Names without a site, which anybody can ask for: they have room of their own, and are looked up again soon. */
const maxUnknownNames = 5_000;
const maxUnknownAgeMs = 10_000;

interface Known {
  readonly isSite: boolean;
  readonly at: number;
}

interface Options {
  readonly isSite: (name: string) => Promise<boolean>;
  /** True while change events arrive. */
  readonly feedIsLive: () => boolean;
}

/** Knows which hosts are customers' own domains, from lookups that change events make stale. */
export class CustomDomains {
  readonly #sites = new LRUCache<string, Known>(growingTo(maxNames));
  readonly #unknown = new LRUCache<string, Known>({ max: maxUnknownNames });
  readonly #lookups = new Map<string, Promise<boolean>>();
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** True if a site is live at the domain; undefined if it must be looked up first. */
  cached(name: string): boolean | undefined {
    const known = this.#known(name);
    const maxAge = !this.#options.feedIsLive() ? maxAgeWithoutFeedMs : known?.isSite ? maxAgeMs : maxUnknownAgeMs;
    return known !== undefined && performance.now() - known.at < maxAge ? known.isSite : undefined;
  }

  /**
   * Looks the domain up, once for all who wait. Never rejects: without an answer the last one counts, and for a domain
   * without one it is true, because nothing of the platform's own may show on a customer's domain.
   */
  async find(name: string): Promise<boolean> {
    const lookup = this.#lookups.get(name) ?? this.#lookUp(name);
    try {
      return await lookup;
    } catch (err) {
      logger.warn({ err, domain: name }, 'lookup of a domain failed; the last answer counts, else it is taken for a site');
      return this.#known(name)?.isSite ?? true;
    }
  }

  /** Call when a site came to a domain or left it. */
  forget(name: string): void {
    const known = this.#known(name);
    if (known !== undefined) this.#keep(name, { ...known, at: Number.NEGATIVE_INFINITY });
    this.#lookups.delete(name);
  }

  /** Call when changes may have been missed. */
  forgetAll(): void {
    // A copy: forgetting moves a name within the cache.
    for (const name of [...this.#sites.keys(), ...this.#unknown.keys()]) this.forget(name);
    this.#lookups.clear();
  }

  #known(name: string): Known | undefined {
    return this.#sites.get(name) ?? this.#unknown.get(name);
  }

  #keep(name: string, known: Known): void {
    this.#sites.delete(name);
    this.#unknown.delete(name);
    (known.isSite ? this.#sites : this.#unknown).set(name, known);
  }

  #lookUp(name: string): Promise<boolean> {
    const at = performance.now();
    const lookup: Promise<boolean> = this.#options
      .isSite(name)
      .then((isSite) => {
        // Forgotten while the answer was on its way, which may be outdated.
        if (this.#lookups.get(name) === lookup) this.#keep(name, { isSite, at });
        return isSite;
      })
      .finally(() => {
        if (this.#lookups.get(name) === lookup) this.#lookups.delete(name);
      });
    this.#lookups.set(name, lookup);
    return lookup;
  }
}

const gateway = servicePrincipal('gateway', '');

/** Follows `connectEvents` and `connectPeersOf`. */
export function openCustomDomains(): CustomDomains {
  const isSite = async (name: string) =>
    (await call('sites.IdentifySite', { name }, callerFor(gateway, { timeoutMs: lookupTimeoutMs }))).found;
  const domains = new CustomDomains({ isSite, feedIsLive });
  listen('internal.site.changed', ({ data }) => domains.forget(data.name));
  onFeedRestored(() => domains.forgetAll());
  return domains;
}
