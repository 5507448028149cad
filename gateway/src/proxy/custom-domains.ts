import { feedIsLive, listen, onFeedRestored } from '@webkiln/events/listening';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';

const lookupTimeoutMs = 2000;
const maxAgeMs = 60_000;
/** While no change events arrive. */
const maxAgeWithoutFeedMs = 800;
const maxNames = 50_000;

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
  readonly #known = new LRUCache<string, Known>({ max: maxNames });
  readonly #lookups = new Map<string, Promise<boolean>>();
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** True if a site is live at the domain; undefined if it must be looked up first. */
  cached(name: string): boolean | undefined {
    const known = this.#known.get(name);
    const maxAge = this.#options.feedIsLive() ? maxAgeMs : maxAgeWithoutFeedMs;
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
      return this.#known.get(name)?.isSite ?? true;
    }
  }

  /** Call when a site came to a domain or left it. */
  forget(name: string): void {
    const known = this.#known.get(name);
    if (known !== undefined) this.#known.set(name, { ...known, at: Number.NEGATIVE_INFINITY });
    this.#lookups.delete(name);
  }

  /** Call when changes may have been missed. */
  forgetAll(): void {
    // A copy: forgetting moves a name within the cache.
    for (const name of [...this.#known.keys()]) this.forget(name);
    this.#lookups.clear();
  }

  #lookUp(name: string): Promise<boolean> {
    const at = performance.now();
    const lookup: Promise<boolean> = this.#options
      .isSite(name)
      .then((isSite) => {
        // Forgotten while the answer was on its way, which may be outdated.
        if (this.#lookups.get(name) === lookup) this.#known.set(name, { isSite, at });
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
