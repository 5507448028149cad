import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { logger } from '@webkiln/runtime';
import { Pool } from 'undici';
import { Passage } from './passage.ts';

const connectionsPerReplica = 128;
const connectTimeoutMs = 2000;
/** Longer than a service may take to find a site and load a file. */
const answerTimeoutMs = 15_000;
const stalledMs = 60_000;
/** For how long a replica that failed is not the first choice. */
const restMs = 1000;

const repeatable = new Set(['GET', 'HEAD']);

interface Replica {
  readonly pool: Pool;
  restsUntil: number;
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly told: Readonly<Record<string, string>>;
  readonly triesLeft: number;
}

interface Options {
  /** Whose replicas they are: "sites". */
  readonly service: string;
  /** "host:port", or several with commas between. */
  readonly addresses: string;
  readonly clientAddress: (request: IncomingMessage) => string;
  /** Answers where no replica can be reached; without it a sentence for a site's visitors does. */
  readonly unreachable?: (response: ServerResponse) => void;
}

/**
 * Passes requests on to a service that answers HTTP itself, over connections that are kept; tells it who asks as `x-webkiln-client-address`,
 * and as `x-webkiln-request-id` what is the same request, should it come again.
 */
export class HttpProxy {
  readonly #service: string;
  readonly #clientAddress: Options['clientAddress'];
  readonly #unreachable: (response: ServerResponse) => void;
  readonly #replicas: readonly Replica[];
  #turn = 0;

  constructor({ service, addresses, clientAddress, unreachable = refuseVisitor }: Options) {
    this.#service = service;
    this.#clientAddress = clientAddress;
    this.#unreachable = unreachable;
    const options = {
      connections: connectionsPerReplica,
      connect: { timeout: connectTimeoutMs },
      headersTimeout: answerTimeoutMs,
      bodyTimeout: stalledMs,
      allowH2: false,
    };
    this.#replicas = addresses.split(',').map((address) => ({ pool: new Pool(`http://${address}`, options), restsUntil: 0 }));
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (!request.url?.startsWith('/')) return void refuse(response, 400, 'This address is not valid.\n');
    // One more than there are: a kept connection may have been closed at the moment it was used.
    const triesLeft = repeatable.has(request.method ?? '') ? this.#replicas.length + 1 : 1;
    const told = { 'x-webkiln-client-address': this.#clientAddress(request), 'x-webkiln-request-id': randomUUID() };
    this.#pass({ request, response, told, triesLeft });
  };

  /** Ends the connections when what is in hand is done. */
  async close(): Promise<void> {
    await Promise.all(this.#replicas.map(({ pool }) => pool.close()));
  }

  #pass(asked: Asked): void {
    const { request, response, told, triesLeft } = asked;
    const replica = this.#next();
    const failed = (error: Error) => {
      replica.restsUntil = performance.now() + restMs;
      if (triesLeft > 1) return void this.#pass({ ...asked, triesLeft: triesLeft - 1 });
      logger.warn({ err: error, service: this.#service }, 'a service cannot be reached');
      this.#unreachable(response);
    };
    new Passage({ request, response, failed }).through(replica.pool, told);
  }

  /** In turn, those that have just failed left out unless all have. */
  #next(): Replica {
    const now = performance.now();
    const turn = this.#turn++;
    const inTurn = (step: number) => this.#replicas[(turn + step) % this.#replicas.length] as Replica;
    for (let step = 0; step < this.#replicas.length; step++) if (inTurn(step).restsUntil <= now) return inTurn(step);
    return inTurn(0);
  }
}

const refuseVisitor = (response: ServerResponse) =>
  refuse(response, 503, 'This site cannot be reached right now. Try again in a few seconds.\n');

function refuse(response: ServerResponse, status: 400 | 503, text: string): void {
  const retry = status === 503 ? ['Retry-After', '2'] : [];
  const headers = ['Content-Type', 'text/plain; charset=utf-8', 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];
  response.writeHead(status, [...headers, ...retry, 'Content-Length', String(Buffer.byteLength(text))]).end(text);
}
