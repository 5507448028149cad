import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { growingTo, logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';

const lookupTimeoutMs = 2000;
/** How long the first view of a site waits for the lookup. Without an answer it is accepted. */
const maxWaitMs = 150;
/** Published names rarely change, and changes are announced by events. */
const publishedTtlMs = 10 * 60_000;
const unpublishedTtlMs = 5000;
const maxNames = 50_000;
/** Coarse expiry is enough, and reading the clock costs time. */
const ttlResolutionMs = 500;
/** Limits the load that views of unknown names put on projects-templates. */
const maxConcurrentLookups = 16;

interface Options {
  /** True if projects-templates can be called. */
  readonly canAsk: () => boolean;
}

/**
 * Caches which names are published, and not paused: a notice has no views. Only views of names that are known to be
 * unpublished are refused.
 */
export class PublishedSites {
  readonly #published = new LRUCache<string, boolean>({ ...growingTo(maxNames), ttlResolution: ttlResolutionMs });
  readonly #lookups = new Map<string, Promise<void>>();
  readonly #canAsk: () => boolean;

  constructor({ canAsk }: Options) {
    this.#canAsk = canAsk;
  }

  /** True if a site is published under the name, undefined if unknown. */
  peek(name: string): boolean | undefined {
    return this.#published.get(name);
  }

  /** Like `peek`, but first waits for a lookup, for at most 150 ms. A later answer serves the following views. */
  async lookUp(name: string): Promise<boolean | undefined> {
    if (!this.#canAsk()) return undefined;
    const lookup = this.#lookups.get(name) ?? (this.#lookups.size < maxConcurrentLookups ? this.#startLookup(name) : undefined);
    if (lookup === undefined) return undefined;
    const { promise: timedOut, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, maxWaitMs);
    await Promise.race([lookup, timedOut]);
    clearTimeout(timer);
    return this.peek(name);
  }

  /** Call when a site was published or unpublished under the name. */
  invalidate(name: string): void {
    this.#published.delete(name);
    this.#lookups.delete(name);
  }

  /** Call when sites of any names may have been paused. */
  invalidateAll(): void {
    this.#published.clear();
    this.#lookups.clear();
  }

  #startLookup(name: string): Promise<void> {
    const lookup: Promise<void> = isPublished(name)
      .then((published) => {
        // Invalidated while the call was in flight: the answer may be outdated.
        if (this.#lookups.get(name) === lookup)
          this.#published.set(name, published, { ttl: published ? publishedTtlMs : unpublishedTtlMs });
      })
      .catch((error: unknown) => logger.debug({ err: error, site: name }, 'site lookup failed; its views are accepted'))
      .finally(() => {
        if (this.#lookups.get(name) === lookup) this.#lookups.delete(name);
      });
    this.#lookups.set(name, lookup);
    return lookup;
  }
}

const analytics = servicePrincipal('analytics', '');

async function isPublished(name: string): Promise<boolean> {
  const { found, paused } = await call('sites.IdentifySite', { name }, callerFor(analytics, { timeoutMs: lookupTimeoutMs }));
  return found && !paused;
}
