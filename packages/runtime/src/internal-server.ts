import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { register } from 'prom-client';
import { workersCheck } from './concurrency/watched-run.ts';
import { within } from './retry.ts';

export type Checks = Readonly<Record<string, () => Promise<void> | void>>;

export interface InternalAnswer {
  readonly status: number;
  readonly text: string;
}

/** Additional routes on the internal port, by path ("/tls/ask"). */
export type InternalRoutes = Readonly<Record<string, (query: URLSearchParams) => Promise<InternalAnswer>>>;

const checkTimeoutMs = 2000;

/** Serves /healthz (alive), /readyz (can serve) and /metrics (Prometheus) to operators and Kubernetes. */
export class InternalServer {
  readonly #server: Server;
  /** The reason why the process is not ready; undefined while it is. */
  unready: string | undefined = 'starting';
  checks: Checks = {};
  routes: InternalRoutes = {};

  constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request.url ?? '', response).catch((error: unknown) => send(response, 500, String(error)));
    });
  }

  /** Returns the port it listens on. */
  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => this.#server.once('error', reject).listen(port, host, resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async #answer(url: string, response: ServerResponse): Promise<void> {
    if (url === '/healthz') return send(response, 200, 'ok');
    if (url === '/metrics') return send(response, 200, await register.metrics(), register.contentType);
    if (url !== '/readyz') return this.#route(url, response);
    const reasons = this.unready === undefined ? await failing({ ...this.checks, workers: workersCheck }) : [this.unready];
    send(response, reasons.length === 0 ? 200 : 503, reasons.length === 0 ? 'ready' : reasons.join('\n'));
  }

  async #route(url: string, response: ServerResponse): Promise<void> {
    const [path = '', query] = url.split('?', 2);
    const route = Object.hasOwn(this.routes, path) ? this.routes[path] : undefined;
    const { status, text } = route === undefined ? { status: 404, text: 'not found' } : await route(new URLSearchParams(query));
    send(response, status, text);
  }
}

async function failing(checks: Checks): Promise<string[]> {
  const reasons = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        await within(checkTimeoutMs, check());
        return [];
      } catch (error) {
        return [`${name}: ${error instanceof Error ? error.message : String(error)}`];
      }
    }),
  );
  return reasons.flat();
}

function send(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'Content-Type': type });
  response.end(`${body}\n`);
}
