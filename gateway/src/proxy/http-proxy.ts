import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { logger } from '@webkiln/runtime';
import { Pool } from 'undici';
import { ProxyHandler } from './proxy-handler.ts';

const connectionsPerReplica = 128;
const connectTimeoutMs = 2000;
/** Longer than a service may take to resolve a site and load a file. */
const responseTimeoutMs = 15_000;
const bodyTimeoutMs = 60_000;
/** A replica that failed is avoided for this long, as long as another one works. */
const cooldownMs = 1000;

const retryable = new Set(['GET', 'HEAD']);

interface Replica {
  readonly pool: Pool;
  cooldownUntil: number;
}

interface ProxiedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly addedHeaders: Readonly<Record<string, string>>;
  readonly attemptsLeft: number;
}

interface Options {
  /** Name of the service, for the log: "sites". */
  readonly service: string;
  /** "host:port" of each replica, separated by commas. */
  readonly addresses: string;
  readonly clientAddress: (request: IncomingMessage) => string;
  /** Responds if no replica can be reached. The default is a plain text 503 for visitors of a site. */
  readonly onUnreachable?: (response: ServerResponse) => void;
}

/**
 * Reverse proxy to the replicas of a service, over kept-alive connections. Retries GET and HEAD on another replica.
 * Adds `x-webkiln-client-address` and `x-webkiln-request-id`; a retry keeps the request id.
 */
export class HttpProxy {
  readonly #service: string;
  readonly #clientAddress: Options['clientAddress'];
  readonly #onUnreachable: (response: ServerResponse) => void;
  readonly #replicas: readonly Replica[];
  #nextIndex = 0;

  constructor({ service, addresses, clientAddress, onUnreachable = refuseVisitor }: Options) {
    this.#service = service;
    this.#clientAddress = clientAddress;
    this.#onUnreachable = onUnreachable;
    const options = {
      connections: connectionsPerReplica,
      connect: { timeout: connectTimeoutMs },
      headersTimeout: responseTimeoutMs,
      bodyTimeout: bodyTimeoutMs,
      allowH2: false,
    };
    this.#replicas = addresses.split(',').map((address) => ({ pool: new Pool(`http://${address}`, options), cooldownUntil: 0 }));
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (!request.url?.startsWith('/')) return void refuse(response, 400, 'This address is not valid.\n');
    // One attempt more than replicas: a kept-alive connection may close just as it is used.
    const attemptsLeft = retryable.has(request.method ?? '') ? this.#replicas.length + 1 : 1;
    const addedHeaders = { 'x-webkiln-client-address': this.#clientAddress(request), 'x-webkiln-request-id': randomUUID() };
    this.#forward({ request, response, addedHeaders, attemptsLeft });
  };

  /** Closes the connections once the requests in flight have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#replicas.map(({ pool }) => pool.close()));
  }

  #forward(proxied: ProxiedRequest): void {
    const { request, response, addedHeaders, attemptsLeft } = proxied;
    const replica = this.#nextReplica();
    const onFailure = (error: Error) => {
      replica.cooldownUntil = performance.now() + cooldownMs;
      if (attemptsLeft > 1) return void this.#forward({ ...proxied, attemptsLeft: attemptsLeft - 1 });
      logger.warn({ err: error, service: this.#service }, 'service unreachable; responding with 503');
      this.#onUnreachable(response);
    };
    new ProxyHandler({ request, response, onFailure }).dispatch(replica.pool, addedHeaders);
  }

  /** Round robin over the replicas that are not cooling down, or over all if all are. */
  #nextReplica(): Replica {
    const now = performance.now();
    const first = this.#nextIndex++;
    const at = (step: number) => this.#replicas[(first + step) % this.#replicas.length] as Replica;
    for (let step = 0; step < this.#replicas.length; step++) if (at(step).cooldownUntil <= now) return at(step);
    return at(0);
  }
}

const refuseVisitor = (response: ServerResponse) =>
  refuse(response, 503, 'This site cannot be reached right now. Try again in a few seconds.\n');

function refuse(response: ServerResponse, status: 400 | 503, text: string): void {
  const retry = status === 503 ? ['Retry-After', '2'] : [];
  const headers = ['Content-Type', 'text/plain; charset=utf-8', 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];
  response.writeHead(status, [...headers, ...retry, 'Content-Length', String(Buffer.byteLength(text))]).end(text);
}
