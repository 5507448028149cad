import { logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import type { Site } from './site.ts';

/**
 * While the change feed is live, entries older than this are revalidated in the background (stale-while-revalidate, RFC
 * 5861).
 */
const revalidateAfterMs = 10_000;
/** While the change feed is down, entries expire after this, so that a new deploy still shows within a second. */
const maxAgeWithoutFeedMs = 800;
/** How long a stale entry is served after a failed lookup before the next one is tried (stale-if-error, RFC 5861). */
const retryAfterMs = 1000;
/** Names, files and rules of all sites together, at a few hundred bytes each. */
const maxEntries = 100_000;
/** Names without a site, which anybody can ask for: they have room of their own, and are looked up again soon. */
const maxUnknownNames = 10_000;
const maxUnknownAgeMs = 10_000;

interface Entry {
  readonly site: Site | null;
  readonly requestedAt: number;
  /** Until then the entry is served whatever its age, because the last lookup failed. */
  staleUntil: number;
}

const sizeOf = ({ site }: Entry): number => 1 + (site?.files.size ?? 0) + (site?.rules?.count ?? 0);

interface Options {
  /** Looks up what a name resolves to; null for nothing. */
  readonly resolve: (name: string) => Promise<Site | null>;
  /** True while change events arrive. */
  readonly feedIsLive: () => boolean;
  /** True while the service behind `resolve` is reachable. */
  readonly isReachable: () => boolean;
  readonly now?: () => number;
}

/** Caches what names of sites or previews resolve to. A stale entry is served while no new one can be looked up. */
export class ResolutionCache {
  readonly #sites = new LRUCache<string, Entry>({ maxSize: maxEntries, sizeCalculation: sizeOf });
  readonly #unknown = new LRUCache<string, Entry>({ max: maxUnknownNames });
  readonly #lookups = new Map<string, Promise<Site | null>>();
  readonly #options: Options;
  readonly #now: () => number;
  /** Entries from before this time may have missed a change. */
  #validSince = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The site that is live under a name, null for none; undefined if it must be looked up first. */
  cached(name: string): Site | null | undefined {
    const entry = this.#sites.get(name) ?? this.#unknown.get(name);
    if (entry === undefined) return undefined;
    const now = this.#now();
    if (now < entry.staleUntil) return entry.site;
    const age = now - entry.requestedAt;
    if (entry.requestedAt < this.#validSince) return undefined;
    if (!this.#options.feedIsLive()) return age < maxAgeWithoutFeedMs ? entry.site : undefined;
    if (entry.site === null) return age < maxUnknownAgeMs ? null : undefined;
    if (age > revalidateAfterMs) this.#lookUp(name).catch(() => this.#serveStale(entry));
    return entry.site;
  }

  /**
   * As `cached`, but looks the name up if needed, once for all concurrent callers. Throws an `AppError` if that fails
   * without an entry.
   */
  async find(name: string): Promise<Site | null> {
    const cached = this.cached(name);
    if (cached !== undefined) return cached;
    const last = this.#peek(name);
    if (last !== undefined && !this.#options.isReachable()) return last.site;
    try {
      return await this.#lookUp(name);
    } catch (error) {
      if (last === undefined) throw error;
      this.#serveStale(last);
      return last.site;
    }
  }

  /** Marks an entry as stale: it is looked up again before its next use, and served only if that fails. */
  invalidate(name: string): void {
    this.#lookups.delete(name);
    const entry = this.#peek(name);
    if (entry !== undefined) this.#keep(name, { ...entry, requestedAt: Number.NEGATIVE_INFINITY, staleUntil: 0 });
  }

  /** Marks all entries as stale, after changes may have been missed. */
  invalidateAll(): void {
    this.#validSince = this.#now();
    logger.info('change feed was interrupted; looking up all sites again');
  }

  #peek(name: string): Entry | undefined {
    return this.#sites.peek(name) ?? this.#unknown.peek(name);
  }

  #keep(name: string, entry: Entry): void {
    this.#sites.delete(name);
    this.#unknown.delete(name);
    (entry.site === null ? this.#unknown : this.#sites).set(name, entry);
  }

  #serveStale(entry: Entry): void {
    entry.staleUntil = this.#now() + retryAfterMs;
  }

  #lookUp(name: string): Promise<Site | null> {
    const pending = this.#lookups.get(name);
    if (pending !== undefined) return pending;
    const requestedAt = this.#now();
    const lookup = this.#options
      .resolve(name)
      .then((site) => {
        // Invalidated while the response was on its way, so it may be out of date.
        if (this.#lookups.get(name) !== lookup) return this.find(name);
        this.#keep(name, { site, requestedAt, staleUntil: 0 });
        return site;
      })
      .finally(() => {
        if (this.#lookups.get(name) === lookup) this.#lookups.delete(name);
      });
    this.#lookups.set(name, lookup);
    return lookup;
  }
}
