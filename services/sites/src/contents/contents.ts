import { AppError } from '@webkiln/contract';
import { contentChunkBytes, serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { counter, FairSlots, gauge, Semaphore } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import type { Representation } from '../resolutions/representation.ts';

const loadTimeoutMs = 10_000;
const maxWaitingLoads = 1000;
/** The files of one organization that are loaded at once: those of others must not wait behind a crowd of them. */
const loadsPerOrganization = 2;
/** The overhead of a cache entry besides its content. */
const entryOverheadBytes = 500;

const loads = counter({ name: 'site_content_loads_total', help: 'Contents of files that were not in memory and had to be asked for' });
const cachedBytes = gauge({ name: 'site_content_cached_bytes', help: 'Contents of files kept in memory' });

/** A part of a representation: all of it, unless it is larger than a chunk. */
export interface Part {
  readonly content: Buffer;
  /** Bytes of the whole representation. */
  readonly size: number;
}

/**
 * Loads contents of files, in parts of at most a chunk, and caches the most recently used in memory. A key names
 * immutable bytes, so entries never go stale.
 */
export class Contents {
  readonly #cached: LRUCache<string, Part>;
  readonly #loading = new Map<string, Promise<Part>>();
  readonly #turns = new FairSlots({
    slots: Number.POSITIVE_INFINITY,
    maxPerKey: loadsPerOrganization,
    maxWaitingPerKey: maxWaitingLoads,
    maxWaiting: maxWaitingLoads,
    maxWaitMs: loadTimeoutMs,
    refusal: () => new AppError('overloaded'),
  });
  /** One permit per byte that is loaded. */
  readonly #loads: Semaphore;

  /** `maxBytes` bounds the cache, and separately the loads in progress. */
  constructor(maxBytes: number) {
    this.#cached = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ content }) => content.byteLength + entryOverheadBytes });
    this.#loads = new Semaphore({ permits: maxBytes, maxWaiting: maxWaitingLoads, refusal: () => new AppError('overloaded') });
  }

  /** The part at `offset`, a multiple of a chunk, if it is in memory. */
  cached(representation: Representation, offset = 0): Part | undefined {
    return this.#cached.get(keyOf(representation, offset));
  }

  /**
   * The part at `offset`, loaded once for all concurrent callers. Throws an `AppError`: `file_not_found` if it was
   * deleted, `overloaded` if too many loads wait.
   */
  load(representation: Representation, offset = 0): Promise<Part> {
    const key = keyOf(representation, offset);
    const pending = this.#loading.get(key);
    if (pending !== undefined) return pending;
    const length = Math.min(contentChunkBytes, representation.maxBytes - offset);
    const loading = this.#turns
      .run(representation.orgId, () => this.#loads.run(() => load(representation, offset, length), length))
      .then((part) => this.#cache(key, part))
      .finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  /** The bytes from `start` to `end`, both included, each part loaded when it is asked for. */
  async *range(representation: Representation, start: number, end: number): AsyncGenerator<Buffer, void, undefined> {
    for (let offset = start - (start % contentChunkBytes); offset <= end; offset += contentChunkBytes) {
      const { content } = this.cached(representation, offset) ?? (await this.load(representation, offset));
      yield content.subarray(Math.max(0, start - offset), end - offset + 1);
    }
  }

  /** The whole content. Throws as `load` does. */
  async loadAll(representation: Representation): Promise<Buffer> {
    const { content, size } = this.cached(representation) ?? (await this.load(representation));
    if (content.byteLength === size) return content;
    const parts: Buffer[] = [];
    for await (const part of this.range(representation, 0, size - 1)) parts.push(part);
    return Buffer.concat(parts, size);
  }

  #cache(key: string, part: Part): Part {
    this.#cached.set(key, part);
    cachedBytes.set(this.#cached.calculatedSize);
    return part;
  }
}

const keyOf = ({ key }: Representation, offset: number) => (offset === 0 ? key : `${key}@${offset}`);

async function load({ orgId, sha256, encoding, maxBytes }: Representation, offset: number, length: number): Promise<Part> {
  loads.inc();
  const caller = serviceCaller('sites', orgId, loadTimeoutMs);
  const { content, size } = await call('sites.GetSiteContent', { org_id: orgId, sha256, encoding, offset, length }, caller);
  const whole = encoding === '' ? maxBytes : size;
  if (content.byteLength !== Math.min(length, whole - offset)) throw new AppError('unavailable');
  // `content` is a slice of a buffer that holds other messages too. Caching the slice would retain all of them.
  const copy = Buffer.allocUnsafeSlow(content.byteLength);
  copy.set(content);
  return { content: copy, size: whole };
}
