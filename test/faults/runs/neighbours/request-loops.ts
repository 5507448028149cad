import { Agent, request } from 'node:http';
import { hostileAddress } from './nuisance.ts';

interface Options {
  readonly origin: string;
  readonly path: string;
  /** How many requests are in flight. */
  readonly inFlight: number;
  /** The credential of each request. */
  readonly key: () => string;
}

/** Requests without a pause, whatever they are answered. */
export class RequestLoops {
  /** How many were answered, by status. */
  readonly statuses = new Map<number, number>();
  readonly #options: Options;
  readonly #agent: Agent;
  readonly #loops: Promise<void>[];
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.inFlight, localAddress: hostileAddress });
    this.#loops = Array.from({ length: options.inFlight }, () => this.#loop());
  }

  get answered(): number {
    return [...this.statuses.values()].reduce((sum, count) => sum + count, 0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#loops);
    this.#agent.destroy();
  }

  async #loop(): Promise<void> {
    while (!this.#stopped) await this.#request();
  }

  #request(): Promise<void> {
    const { origin, path, key } = this.#options;
    const headers = { authorization: `Bearer ${key()}` };
    const { port } = new URL(origin);
    return new Promise((resolve) => {
      const sent = request({ host: '127.0.0.1', port, path, headers, agent: this.#agent }, (response) => {
        const status = response.statusCode ?? 0;
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
        response.resume().on('close', resolve);
      });
      sent.on('error', () => resolve()).end();
    });
  }
}
