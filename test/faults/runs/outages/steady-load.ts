import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { PlatformFacts } from '../../../harness/test-platform.ts';

const connectionsEach = 10;
const pollIntervalMs = 100;
/** An older readiness check is ignored: a gateway stops one second after it reports that it is not ready. */
const maxReadinessAgeMs = 400;
const slowBodyMs = 100;

/** One request of the load with its outcome. */
export interface Sample {
  readonly request: string;
  /** The HTTP status, or the error code if there was no answer. */
  readonly outcome: number | string;
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path below /api/v1, or on the site. */
  readonly path: string;
  /** The host of a published site, for a visit. */
  readonly site?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Gateway {
  readonly name: string;
  readonly pool: Pool;
  /** Start (monotonic, ms) of the last check that found the gateway ready. */
  readyAt: number;
  running: number;
}

export interface LoadedPlatform {
  readonly facts: PlatformFacts;
  /** True if the gateway may be sent requests, as a load balancer knows it. */
  isReady(name: string): Promise<boolean>;
}

interface LoadOptions {
  /** Without it each request brings its own credential. */
  readonly key?: string;
  readonly perSecond: number;
  next(): LoadRequest;
}

/** Sends requests at a steady pace over kept-alive connections to the ready gateways in turn, like a load balancer. */
export class SteadyLoad {
  readonly samples: Sample[] = [];
  readonly #options: LoadOptions;
  readonly #gateways: readonly Gateway[];
  readonly #running = new Set<Promise<void>>();
  readonly #watching: Promise<unknown>;
  readonly #timer: NodeJS.Timeout;
  #next = 0;
  #finished = false;

  constructor(platform: LoadedPlatform, options: LoadOptions) {
    this.#options = options;
    this.#gateways = platform.facts.origins.map((origin, at) => ({
      name: at === 0 ? 'gateway' : `gateway-${at + 1}`,
      pool: new Pool(origin, { connections: connectionsEach }),
      readyAt: Number.NEGATIVE_INFINITY,
      running: 0,
    }));
    this.#watching = Promise.all(this.#gateways.map((gateway) => this.#watchReadiness(platform, gateway)));
    this.#timer = setInterval(() => this.#send(), 1000 / options.perSecond);
  }

  /** Stops the load and resolves when every request is answered. */
  async finish(): Promise<void> {
    clearInterval(this.#timer);
    this.#finished = true;
    await Promise.all([...this.#running, this.#watching]);
    await Promise.all(this.#gateways.map(({ pool }) => pool.close()));
  }

  async #watchReadiness(platform: LoadedPlatform, gateway: Gateway): Promise<void> {
    while (!this.#finished) {
      const checkedAt = performance.now();
      gateway.readyAt = (await platform.isReady(gateway.name)) ? checkedAt : Number.NEGATIVE_INFINITY;
      await pause(pollIntervalMs);
    }
  }

  #send(): void {
    const since = performance.now() - maxReadinessAgeMs;
    const ready = this.#gateways.filter(({ readyAt, running }) => readyAt > since && running < connectionsEach);
    const gateway = ready[this.#next++ % ready.length];
    if (gateway === undefined) return;
    const request = this.#options.next();
    gateway.running++;
    const sent = this.#outcome(gateway, request).then((outcome) => {
      this.samples.push({ request: `${request.method} ${request.path} through ${gateway.name}`, outcome });
      gateway.running--;
      this.#running.delete(sent);
    });
    this.#running.add(sent);
  }

  async #outcome(gateway: Gateway, { method, path, site, body, headers }: LoadRequest): Promise<number | string> {
    const { key } = this.#options;
    const asked = site === undefined ? key !== undefined && { authorization: `Bearer ${key}` } : { host: site };
    try {
      const response = await gateway.pool.request({
        method,
        path: site === undefined ? `/api/v1${path}` : path,
        headers: { ...asked, ...(body && { 'content-type': 'application/json' }), ...headers },
        body: body && Readable.from(inTwoPieces(JSON.stringify(body))),
      });
      await response.body.dump();
      return response.statusCode;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    }
  }
}

/** Sends the body in two chunks, so that a request is always in flight. */
async function* inTwoPieces(body: string): AsyncGenerator<string> {
  const half = body.length / 2;
  yield body.slice(0, half);
  await pause(slowBodyMs);
  yield body.slice(half);
}
