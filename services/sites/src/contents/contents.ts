import { call, callerFor, servicePrincipal } from '@webkiln/rpc';
import { counter, gauge } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import type { Representation } from '../resolutions/representation.ts';
import { LoadingBudget } from './loading-budget.ts';

const loadTimeoutMs = 10_000;
/** What an entry takes besides its bytes. */
const entryBytes = 500;

const loads = counter({ name: 'site_content_loads_total', help: 'Contents of files that were not in memory and had to be asked for' });
const cachedBytes = gauge({ name: 'site_content_cached_bytes', help: 'Contents of files kept in memory' });

/** Contents of files, the latest used of them in memory. What a key names never changes, so nothing is ever out of date. */
export class Contents {
  readonly #cached: LRUCache<string, Buffer>;
  readonly #loading = new Map<string, Promise<Buffer>>();
  readonly #budget: LoadingBudget;

  /** `bytesMost` bounds what is kept, and once more what is being loaded. */
  constructor(bytesMost: number) {
    this.#cached = new LRUCache({ maxSize: bytesMost, sizeCalculation: (content) => content.byteLength + entryBytes });
    this.#budget = new LoadingBudget(bytesMost);
  }

  /** The bytes if they are in memory. */
  cached({ key }: Representation): Buffer | undefined {
    return this.#cached.get(key);
  }

  /** The bytes; they are asked for once, however many wait for them. Throws an `AppError`: `file_not_found` when they are not kept any more. */
  load(representation: Representation): Promise<Buffer> {
    const { key, bytesMost } = representation;
    const underWay = this.#loading.get(key);
    if (underWay !== undefined) return underWay;
    const loading = this.#budget
      .within(bytesMost, () => load(representation))
      .then((content) => this.#keep(key, content))
      .finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  #keep(key: string, content: Buffer): Buffer {
    this.#cached.set(key, content);
    cachedBytes.set(this.#cached.calculatedSize);
    return content;
  }
}

async function load({ orgId, sha256, encoding }: Representation): Promise<Buffer> {
  loads.inc();
  const caller = callerFor(servicePrincipal('sites', orgId), { timeoutMs: loadTimeoutMs });
  const { content } = await call('sites.GetSiteContent', { org_id: orgId, sha256, encoding }, caller);
  // What comes is a part of a message that held other answers as well, and would keep all of it in memory.
  const own = Buffer.allocUnsafeSlow(content.byteLength);
  own.set(content);
  return own;
}
