import { LRUCache } from 'lru-cache';

/** From this age on, a value is refreshed in the background. */
const freshMs = 1_000;
/** From this age on, a value is not returned; the request waits for the refresh. */
const staleMs = 3_000;
/** With more keys in rotation, each request loads its value. */
const maxEntries = 200;

interface Entry<T> {
  readonly value: T;
  readonly loadedAt: number;
}

/**
 * Stale-while-revalidate cache (RFC 5861), one value per organization and arguments, at most 3 s old. Equal
 * concurrent requests share one load. The loader receives only the organization and the arguments, so a value cannot
 * reach another organization.
 */
export class StaleWhileRevalidate<Rest extends readonly string[], T> {
  readonly #load: (org_id: string, ...rest: Rest) => Promise<T>;
  readonly #now: () => number;
  readonly #cache: LRUCache<string, Entry<T>, () => Promise<T>>;

  /** `load` may reject: the requests that wait for it get the error. `now` returns milliseconds. */
  constructor(load: (org_id: string, ...rest: Rest) => Promise<T>, { now = () => performance.now() }: { now?: () => number } = {}) {
    this.#load = load;
    this.#now = now;
    this.#cache = new LRUCache({
      max: maxEntries,
      // A request gets its value even if the entry was evicted meanwhile.
      ignoreFetchAbort: true,
      noDeleteOnFetchRejection: true,
      fetchMethod: async (_key, _known, { context: loadNow }) => {
        const loadedAt = now();
        return { value: await loadNow(), loadedAt };
      },
    });
  }

  async get(org_id: string, ...rest: Rest): Promise<T> {
    const key = JSON.stringify([org_id, ...rest]);
    const cached = this.#cache.peek(key);
    const age = cached === undefined ? staleMs : this.#now() - cached.loadedAt;
    const { value } = await this.#cache.forceFetch(key, {
      forceRefresh: age >= freshMs,
      allowStale: age < staleMs,
      context: () => this.#load(org_id, ...rest),
    });
    return value;
  }
}
