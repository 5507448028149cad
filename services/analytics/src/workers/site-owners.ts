import { call, callerFor, servicePrincipal } from '@webkiln/rpc';
import { LRUCache } from 'lru-cache';

const answerWithinMs = 5_000;
const rememberedMost = 20_000;
const rememberedMs = 60_000;

/** Whose a site is. */
export interface SiteOwner {
  readonly org_id: string;
  readonly project_id: string;
}

/** Knows whose the site under a name is; who hears that one changed says so by `forget`. */
export class SiteOwners {
  readonly #asked = new Map<string, symbol>();
  readonly #owners = new LRUCache<string, { readonly owner: SiteOwner | null }>({ max: rememberedMost, ttl: rememberedMs });

  /** Null where nothing is published under the name. Throws while that cannot be found out. */
  async ownerOf(name: string): Promise<SiteOwner | null> {
    const known = this.#owners.get(name);
    if (known !== undefined) return known.owner;
    const question = Symbol(name);
    this.#asked.set(name, question);
    const asker = callerFor(servicePrincipal('analytics', ''), { timeoutMs: answerWithinMs });
    const { found, org_id, project_id } = await call('sites.IdentifySite', { name }, asker);
    const owner = found ? { org_id, project_id } : null;
    // Changed while the answer was on its way: it may be from before.
    if (this.#asked.get(name) !== question) return owner;
    this.#asked.delete(name);
    this.#owners.set(name, { owner });
    return owner;
  }

  forget(name: string): void {
    this.#asked.delete(name);
    this.#owners.delete(name);
  }
}
