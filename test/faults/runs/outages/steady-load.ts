import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import type { Gateway, ReadyGateways } from './ready-gateways.ts';

const connectionsEach = 10;
const slowBodyMs = 100;
const errorCode = /"code":"(\w+)"/;
/** An agent's tool that fails says so in its result, and the answer is 200. */
const toolError = /"isError":true,"content":\[\{"type":"text","text":"(\w+): /;

/** One request of the load with its outcome. */
export interface Sample {
  readonly request: string;
  /**
   * The HTTP status, that of a refusal with its error code ("503 unavailable", "200 internal" of an agent's tool), or
   * the connection's error if there was no answer.
   */
  readonly outcome: number | string;
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path below /api/v1, or on the site; from the origin on if it begins with /api/. */
  readonly path: string;
  /** The host of a published site, for a visit. */
  readonly site?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Connections {
  readonly name: string;
  readonly pool: Pool;
  running: number;
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
  readonly #gateways: ReadyGateways;
  readonly #connections: ReadonlyMap<string, Connections>;
  readonly #running = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;

  constructor(gateways: ReadyGateways, options: LoadOptions) {
    this.#options = options;
    this.#gateways = gateways;
    this.#connections = new Map(
      gateways.all.map(({ name, origin }) => [name, { name, pool: new Pool(origin, { connections: connectionsEach }), running: 0 }]),
    );
    this.#timer = setInterval(() => this.#send(), 1000 / options.perSecond);
  }

  /** Stops the load and resolves when every request is answered. */
  async finish(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#running);
    await Promise.all([...this.#connections.values()].map(({ pool }) => pool.close()));
  }

  #send(): void {
    const free = ({ name }: Gateway) => (this.#connections.get(name)?.running ?? connectionsEach) < connectionsEach;
    const gateway = this.#connections.get(this.#gateways.next(free)?.name ?? '');
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

  async #outcome(gateway: Connections, { method, path, site, body, headers }: LoadRequest): Promise<number | string> {
    const { key } = this.#options;
    const asked = site === undefined ? key !== undefined && { authorization: `Bearer ${key}` } : { host: site };
    try {
      const response = await gateway.pool.request({
        method,
        path: site === undefined && !path.startsWith('/api/') ? `/api/v1${path}` : path,
        headers: { ...asked, ...(body && { 'content-type': 'application/json' }), ...headers },
        body: body && Readable.from(inTwoPieces(JSON.stringify(body))),
      });
      const text = await response.body.text();
      return outcomeOf(response, text);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    }
  }
}

function outcomeOf({ statusCode, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>, text: string): number | string {
  const code = (statusCode < 300 ? toolError : errorCode).exec(text)?.[1];
  if (statusCode < 300) return code === undefined ? statusCode : `${statusCode} ${code}`;
  const saysWhen = statusCode !== 503 || headers['retry-after'] !== undefined;
  return `${statusCode} ${code ?? ''}${saysWhen ? '' : ' without Retry-After'}`;
}

/** Sends the body in two chunks, so that a request is always in flight. */
async function* inTwoPieces(body: string): AsyncGenerator<string> {
  const half = body.length / 2;
  yield body.slice(0, half);
  await pause(slowBodyMs);
  yield body.slice(half);
}
