import { Pool } from 'undici';

const connectTimeoutMs = 2000;
/** Longer than a service may take to resolve a site and load a file. */
const responseTimeoutMs = 15_000;
const bodyTimeoutMs = 60_000;
/** A replica that failed is avoided for this long, as long as another one works. */
const cooldownMs = 1000;

interface Replica {
  readonly pool: Pool;
  cooldownUntil: number;
}

/** Kept-alive connections to the replicas of a service. */
export class Replicas {
  readonly #replicas: readonly Replica[];
  #nextIndex = 0;

  /** `addresses`: "host:port" of each replica, separated by commas. */
  constructor(addresses: string, connectionsPerReplica: number) {
    const options = {
      connections: connectionsPerReplica,
      connect: { timeout: connectTimeoutMs },
      headersTimeout: responseTimeoutMs,
      bodyTimeout: bodyTimeoutMs,
      allowH2: false,
    };
    this.#replicas = addresses.split(',').map((address) => ({ pool: new Pool(`http://${address}`, options), cooldownUntil: 0 }));
  }

  get count(): number {
    return this.#replicas.length;
  }

  /** Round robin over the replicas that are not cooling down, or over all if all are. */
  next(): Replica {
    const now = performance.now();
    const first = this.#nextIndex++;
    const at = (step: number) => this.#replicas[(first + step) % this.#replicas.length] as Replica;
    for (let step = 0; step < this.#replicas.length; step++) if (at(step).cooldownUntil <= now) return at(step);
    return at(0);
  }

  coolDown(replica: Replica): void {
    replica.cooldownUntil = performance.now() + cooldownMs;
  }

  /** Closes the connections once the requests in flight have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#replicas.map(({ pool }) => pool.close()));
  }
}
