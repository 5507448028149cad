import { call, callerFor, servicePrincipal } from '@webkiln/rpc';
import { LRUCache } from 'lru-cache';

const answerWithinMs = 5_000;
const rememberedMost = 20_000;
const publishedForMs = 60_000;
/** A name that nobody has may be somebody's at any time. */
const unpublishedForMs = 1_000;

const analytics = servicePrincipal('analytics', '');

/** Whose a site is. */
export interface SiteOwner {
  readonly org_id: string;
  readonly project_id: string;
  /** The user whose project it is: a client's user sees the figures of no other. */
  readonly user_id: string;
}

/** Knows whose the site under a name is; who hears that one changed says so by `forget`. */
export class SiteOwners {
  readonly #asked = new Map<string, symbol>();
  readonly #owners = new LRUCache<string, { readonly owner: SiteOwner | null }>({ max: rememberedMost });

  /** Null where nothing is published under the name. Throws while that cannot be found out. */
  async ownerOf(name: string): Promise<SiteOwner | null> {
    const known = this.#owners.get(name);
    if (known !== undefined) return known.owner;
    const question = Symbol(name);
    this.#asked.set(name, question);
    try {
      const { found, org_id, project_id, user_id } = await call(
        'sites.IdentifySite',
        { name },
        callerFor(analytics, { timeoutMs: answerWithinMs }),
      );
      const owner = found ? { org_id, project_id, user_id } : null;
      // Else it changed while the answer was on its way, which may be from before.
      if (this.#asked.get(name) === question) this.#owners.set(name, { owner }, { ttl: found ? publishedForMs : unpublishedForMs });
      return owner;
    } finally {
      if (this.#asked.get(name) === question) this.#asked.delete(name);
    }
  }

  forget(name: string): void {
    this.#asked.delete(name);
    this.#owners.delete(name);
  }
}
