import { Agent, request } from 'node:http';
import { hostileAddress } from '../nuisance.ts';

export interface NextRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Another address than the usual one; then the request has a connection of its own. */
  readonly from?: string;
}

interface Options {
  readonly origin: string;
  /** How many requests are in flight. */
  readonly inFlight: number;
  readonly next: () => NextRequest;
}

/** A request of the API with a JSON body. */
export const jsonRequest = (method: 'POST' | 'PATCH', path: string, key: string | undefined, body: unknown): NextRequest => ({
  method,
  path,
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Requests without a pause, whatever they are answered. */
export class RequestLoops {
  /** How many were answered, by status. */
  readonly statuses = new Map<number, number>();
  readonly #options: Options;
  readonly #agent: Agent;
  readonly #ending = new AbortController();
  readonly #loops: Promise<void>[];

  constructor(options: Options) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.inFlight });
    this.#loops = Array.from({ length: options.inFlight }, () => this.#loop());
  }

  get answered(): number {
    return [...this.statuses.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Breaks off what is in flight. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#loops);
    this.#agent.destroy();
  }

  async #loop(): Promise<void> {
    while (!this.#ending.signal.aborted) await this.#request();
  }

  #request(): Promise<void> {
    const { method = 'GET', path, headers, body = '', from } = this.#options.next();
    const { port } = new URL(this.#options.origin);
    const agent = from === undefined ? this.#agent : false;
    const options = { host: '127.0.0.1', port, method, path, headers, agent, localAddress: from ?? hostileAddress };
    return new Promise((resolve) => {
      const sent = request({ ...options, signal: this.#ending.signal }, (response) => {
        const status = response.statusCode ?? 0;
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
        response
          .on('error', () => undefined)
          .resume()
          .on('close', resolve);
      });
      sent.on('error', () => resolve()).end(body);
    });
  }
}
