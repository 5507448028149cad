import { LRUCache } from 'lru-cache';
import { type buildConnector, Pool } from 'undici';

const maxOrigins = 1_024;
const connectionsPerOrigin = 256;
/** How long a connection waits for another request; shorter than servers wait, so that it is not closed under one. */
const idleMs = 4_000;
const maxIdleMs = 30_000;
const minuteMs = 60_000;

/**
 * Connections kept open per origin; those of the origin that was used longest ago are closed when there are too many.
 * All are renewed after `maxAgeMs`, so that a change of DNS is seen by a busy origin too.
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
      // The attempt has a deadline of its own for the whole.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#pools.set(origin, pool);
    return pool;
  }

  /** Ends all connections at once. */
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
