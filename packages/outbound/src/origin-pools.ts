import { LRUCache } from 'lru-cache';
import { type buildConnector, Pool } from 'undici';

const maxOrigins = 1_024;
const connectionsPerOrigin = 256;
/** The keep-alive time of an idle connection; shorter than that of servers, so that none closes it during a request. */
const idleMs = 4_000;
const maxIdleMs = 30_000;
const minuteMs = 60_000;

/**
 * Keeps connections open per origin; closes those of the least recently used origin when there are too many. All are
 * renewed after `maxAgeMs`, so that a busy origin follows DNS changes.
 */
export class OriginPools {
  readonly #connect: buildConnector.connector;
  readonly #pools: LRUCache<string, Pool>;
  readonly #retired = new Set<Pool>();

  constructor(connect: buildConnector.connector, maxAgeMs = minuteMs) {
    this.#connect = connect;
    this.#pools = new LRUCache({ max: maxOrigins, ttl: maxAgeMs, dispose: (pool) => this.#retire(pool) });
  }

  of(origin: string): Pool {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    const pool = new Pool(origin, {
      connect: this.#connect,
      connections: connectionsPerOrigin,
      allowH2: false,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: maxIdleMs,
      // No timeouts here: the attempt has one deadline for everything.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#pools.set(origin, pool);
    return pool;
  }

  /** Closes all connections immediately. */
  async destroy(): Promise<void> {
    this.#pools.clear();
    await Promise.all([...this.#retired].map((pool) => pool.destroy()));
  }

  #retire(pool: Pool): void {
    const forget = () => this.#retired.delete(pool);
    this.#retired.add(pool);
    void pool.close().then(forget, forget);
  }
}
