import { LRUCache } from 'lru-cache';
import { type buildConnector, Pool } from 'undici';

const maxOrigins = 1_024;
const connectionsPerOrigin = 256;
/** How long a connection waits for another request; shorter than servers wait, so that it is not closed under one. */
const idleMs = 4_000;
const maxIdleMs = 30_000;
/** A busy connection is renewed after this, so that a change of DNS is seen. */
const maxAgeMs = 60_000;

/** Connections kept open per origin; those of the origin that was used longest ago are closed when there are too many. */
export class OriginPools {
  readonly #connect: buildConnector.connector;
  readonly #pools = new LRUCache<string, Pool>({ max: maxOrigins, dispose: (pool) => this.#retire(pool) });
  readonly #retired = new Set<Pool>();

  constructor(connect: buildConnector.connector) {
    this.#connect = connect;
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
      clientTtl: maxAgeMs,
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
    this.#retired.add(pool);
    void pool.close().then(
      () => this.#retired.delete(pool),
      () => undefined,
    );
  }
}
