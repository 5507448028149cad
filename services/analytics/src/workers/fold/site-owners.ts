import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { LRUCache } from 'lru-cache';

const lookupTimeoutMs = 5_000;
const maxCached = 20_000;
const publishedTtlMs = 60_000;
/** An unused name may be taken at any time. */
const unpublishedTtlMs = 1_000;

const analytics = servicePrincipal('analytics', '');

/** The owner of a site. */
export interface SiteOwner {
  readonly org_id: string;
  readonly project_id: string;
  /** The user who owns the project. A client's user sees only their own projects. */
  readonly user_id: string;
}

/** A cache of the owners of site names. Call `invalidate` when a site changes. */
export class SiteOwners {
  readonly #lookups = new Map<string, symbol>();
  readonly #owners = new LRUCache<string, { readonly owner: SiteOwner | null }>({ max: maxCached });

  /** Returns null if nothing is published under the name. Throws if the lookup fails. */
  async getOwner(name: string): Promise<SiteOwner | null> {
    const known = this.#owners.get(name);
    if (known !== undefined) return known.owner;
    const lookup = Symbol(name);
    this.#lookups.set(name, lookup);
    try {
      const { found, org_id, project_id, user_id } = await call(
        'sites.IdentifySite',
        { name },
        callerFor(analytics, { timeoutMs: lookupTimeoutMs }),
      );
      const owner = found ? { org_id, project_id, user_id } : null;
      // Unless invalidated while the call was in flight: then the answer may be outdated.
      if (this.#lookups.get(name) === lookup) this.#owners.set(name, { owner }, { ttl: found ? publishedTtlMs : unpublishedTtlMs });
      return owner;
    } finally {
      if (this.#lookups.get(name) === lookup) this.#lookups.delete(name);
    }
  }

  invalidate(name: string): void {
    this.#lookups.delete(name);
    this.#owners.delete(name);
  }
}
