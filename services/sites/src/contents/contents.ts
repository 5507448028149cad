import { AppError } from '@webkiln/contract';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { counter, gauge, Semaphore } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import type { Representation } from '../resolutions/representation.ts';

const loadTimeoutMs = 10_000;
const maxWaitingLoads = 1000;
/** The overhead of a cache entry besides its content. */
const entryOverheadBytes = 500;

const loads = counter({ name: 'site_content_loads_total', help: 'Contents of files that were not in memory and had to be asked for' });
const cachedBytes = gauge({ name: 'site_content_cached_bytes', help: 'Contents of files kept in memory' });

/**
 * Loads contents of files and caches the most recently used in memory. A key names immutable bytes, so entries never go
 * stale.
 */
export class Contents {
  readonly #cached: LRUCache<string, Buffer>;
  readonly #loading = new Map<string, Promise<Buffer>>();
  /** One permit per byte that is loaded. */
  readonly #loads: Semaphore;

  /** `maxBytes` bounds the cache, and separately the loads in progress. */
  constructor(maxBytes: number) {
    this.#cached = new LRUCache({ maxSize: maxBytes, sizeCalculation: (content) => content.byteLength + entryOverheadBytes });
    this.#loads = new Semaphore({ permits: maxBytes, maxWaiting: maxWaitingLoads, refusal: () => new AppError('overloaded') });
  }

  /** The content if it is in memory. */
  cached({ key }: Representation): Buffer | undefined {
    return this.#cached.get(key);
  }

  /**
   * The content, loaded once for all concurrent callers. Throws an `AppError`: `file_not_found` if it was deleted,
   * `overloaded` if too many loads wait.
   */
  load(representation: Representation): Promise<Buffer> {
    const { key, maxBytes } = representation;
    const pending = this.#loading.get(key);
    if (pending !== undefined) return pending;
    const loading = this.#loads
      .run(() => load(representation), maxBytes)
      .then((content) => this.#cache(key, content))
      .finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  #cache(key: string, content: Buffer): Buffer {
    this.#cached.set(key, content);
    cachedBytes.set(this.#cached.calculatedSize);
    return content;
  }
}

async function load({ orgId, sha256, encoding }: Representation): Promise<Buffer> {
  loads.inc();
  const caller = callerFor(servicePrincipal('sites', orgId), { timeoutMs: loadTimeoutMs });
  const { content } = await call('sites.GetSiteContent', { org_id: orgId, sha256, encoding }, caller);
  // `content` is a slice of a buffer that holds other messages too. Caching the slice would retain all of them.
  const copy = Buffer.allocUnsafeSlow(content.byteLength);
  copy.set(content);
  return copy;
}
