import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { TestPlatform } from '../../harness/test-platform.ts';

const connectionsEach = 10;
const lookEveryMs = 100;
/** A look that is older says nothing: a gateway may have told since that it stops, and stops a second after it told. */
const seenWithinMs = 400;
const slowBodyMs = 100;

/** One request of the load and what became of it. */
export interface Sample {
  readonly request: string;
  /** HTTP's, or the error's code where there was no answer. */
  readonly outcome: number | string;
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Below the API, or of the site. */
  readonly path: string;
  /** The host of a published site that is visited. */
  readonly site?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Door {
  readonly name: string;
  readonly pool: Pool;
  /** When (monotonic, ms) the last look began that found it ready. */
  readyAt: number;
  running: number;
}

interface LoadOptions {
  readonly key: string;
  readonly perSecond: number;
  next(): LoadRequest;
}

/** Requests at a steady pace over connections that are kept alive, each ready gateway in its turn, as through a load balancer. */
export class SteadyLoad {
  readonly samples: Sample[] = [];
  readonly #options: LoadOptions;
  readonly #doors: readonly Door[];
  readonly #running = new Set<Promise<void>>();
  readonly #looking: Promise<unknown>;
  readonly #timer: NodeJS.Timeout;
  #turn = 0;
  #finished = false;

  constructor(platform: TestPlatform, options: LoadOptions) {
    this.#options = options;
    this.#doors = platform.facts.origins.map((origin, at) => ({
      name: at === 0 ? 'gateway' : `gateway-${at + 1}`,
      pool: new Pool(origin, { connections: connectionsEach }),
      readyAt: Number.NEGATIVE_INFINITY,
      running: 0,
    }));
    this.#looking = Promise.all(this.#doors.map((door) => this.#look(platform, door)));
    this.#timer = setInterval(() => this.#send(), 1000 / options.perSecond);
  }

  /** Sends no more and resolves when all is answered. */
  async finish(): Promise<void> {
    clearInterval(this.#timer);
    this.#finished = true;
    await Promise.all([...this.#running, this.#looking]);
    await Promise.all(this.#doors.map(({ pool }) => pool.close()));
  }

  async #look(platform: TestPlatform, door: Door): Promise<void> {
    while (!this.#finished) {
      const lookedAt = performance.now();
      door.readyAt = (await platform.isReady(door.name)) ? lookedAt : Number.NEGATIVE_INFINITY;
      await pause(lookEveryMs);
    }
  }

  #send(): void {
    const since = performance.now() - seenWithinMs;
    const ready = this.#doors.filter(({ readyAt, running }) => readyAt > since && running < connectionsEach);
    const door = ready[this.#turn++ % ready.length];
    if (door === undefined) return;
    const request = this.#options.next();
    door.running++;
    const sent = this.#outcome(door, request).then((outcome) => {
      this.samples.push({ request: `${request.method} ${request.path} through ${door.name}`, outcome });
      door.running--;
      this.#running.delete(sent);
    });
    this.#running.add(sent);
  }

  async #outcome(door: Door, { method, path, site, body, headers }: LoadRequest): Promise<number | string> {
    const asked = site === undefined ? { authorization: `Bearer ${this.#options.key}` } : { host: site };
    try {
      const response = await door.pool.request({
        method,
        path: site === undefined ? `/api/v1${path}` : path,
        headers: { ...asked, ...(body && { 'content-type': 'application/json' }), ...headers },
        body: body && Readable.from(slowly(JSON.stringify(body))),
      });
      await response.body.dump();
      return response.statusCode;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    }
  }
}

/** In two pieces, so that there is always a request in hand. */
async function* slowly(body: string): AsyncGenerator<string> {
  const half = body.length / 2;
  yield body.slice(0, half);
  await pause(slowBodyMs);
  yield body.slice(half);
}
