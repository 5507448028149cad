import type { TlsIdentity } from '@webkiln/runtime';
import { buildConnector, Pool } from 'undici';

const connectTimeoutMs = 2000;
/** Longer than a service may take to resolve a site and load a file. */
const responseTimeoutMs = 15_000;
const bodyTimeoutMs = 60_000;
/** A replica that failed is avoided for this long, as long as another one works. */
const cooldownMs = 1000;

/** Connects to replicas that prove to be the service, and proves this gateway to them; with the files of the moment. */
function tlsConnector(tls: TlsIdentity, servername: string): buildConnector.connector {
  // A resumed session would not look at certificates again.
  const make = () => buildConnector({ timeout: connectTimeoutMs, secureContext: tls.context, maxCachedSessions: 0, allowH2: false });
  let connector = make();
  tls.on('change', () => {
    connector = make();
  });
  // With an https: URL undici would expect the name of the visited site, and connect anew for each other site.
  return (options, callback) => connector({ ...options, protocol: 'https:', servername }, callback);
}

interface ReplicasOptions {
  readonly service: string;
  /** "host:port" of each replica, separated by commas. */
  readonly addresses: string;
  readonly connectionsPerReplica: number;
  readonly tls: TlsIdentity | undefined;
}

interface Replica {
  readonly pool: Pool;
  cooldownUntil: number;
}

/** Kept-alive connections to the replicas of a service. */
export class Replicas {
  readonly #replicas: readonly Replica[];
  #nextIndex = 0;

  constructor({ service, addresses, connectionsPerReplica, tls }: ReplicasOptions) {
    const options = {
      connections: connectionsPerReplica,
      connect: tls === undefined ? { timeout: connectTimeoutMs } : tlsConnector(tls, service),
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
