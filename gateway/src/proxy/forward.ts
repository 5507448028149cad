import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import type { TlsIdentity } from '@webkiln/runtime';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { countRefusal } from '../admission/bounds.ts';

interface ProxyExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The body to send: whole, or the request itself to stream it. */
  readonly body: Buffer | IncomingMessage | null;
  /** A client that reads nothing for this long is disconnected. */
  readonly stallTimeoutMs: number;
  /** Called if the upstream has found nothing by the name in the request. Resolves when its answer is to be sent. */
  onUnknownName(): Promise<void> | undefined;
  /** Called if the upstream failed before it sent a response: the caller may retry or respond. */
  onFailure(error: Error): void;
  /** Called instead when the upstream connection is free again after a response, whole or not. */
  onDone(): void;
}

/** Streams one request to an upstream server and its response back. A response is never buffered whole. */
export class Forwarding implements Dispatcher.DispatchHandler {
  readonly #exchange: ProxyExchange;
  #controller: Dispatcher.DispatchController | undefined;
  #hasEnded = false;
  #stallTimer: NodeJS.Timeout | undefined;
  readonly #onClose = () => this.#controller?.abort(new Error('the client disconnected'));
  readonly #onDrain = () => {
    clearTimeout(this.#stallTimer);
    this.#controller?.resume();
  };

  constructor(exchange: ProxyExchange) {
    this.#exchange = exchange;
    exchange.response.on('close', this.#onClose).on('drain', this.#onDrain);
  }

  /** Throws if the request cannot be forwarded. */
  start(pool: Pool, addedHeaders: Readonly<Record<string, string>>): void {
    const { request, body } = this.#exchange;
    const { method = 'GET', url: path = '/' } = request;
    const headers = Object.assign(endToEndHeaders(request.headers), addedHeaders);
    pool.dispatch({ path, method: method as Dispatcher.HttpMethod, headers, body }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#exchange.response.destroyed) this.#onClose();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: NodeJS.Dict<string | string[]>): void {
    if (status < 200) return;
    this.#exchange.response.writeHead(status, endToEndHeaders(headers));
    if (headers['x-webkiln-unknown-name'] === undefined) return;
    // The head waits for the first bytes of the body, too.
    controller.pause();
    void Promise.resolve(this.#exchange.onUnknownName()).then(() => controller.resume());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#exchange.response.write(chunk)) return;
    controller.pause();
    this.#stallTimer = setTimeout(() => this.#cutOff(), this.#exchange.stallTimeoutMs);
  }

  onResponseEnd(): void {
    if (!this.#end()) return;
    this.#exchange.response.end();
    this.#exchange.onDone();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#end()) return;
    const { response, onDone, onFailure } = this.#exchange;
    const isAnswered = response.headersSent || response.destroyed;
    // A truncated response must not look complete.
    if (isAnswered && !response.writableEnded) response.destroy();
    if (isAnswered) onDone();
    else onFailure(error);
  }

  #cutOff(): void {
    countRefusal('response progress', 'too_many_unread');
    this.#exchange.response.destroy(new AppError('too_many_unread'));
  }

  /** False if the exchange has ended before. */
  #end(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    clearTimeout(this.#stallTimer);
    this.#exchange.response.off('close', this.#onClose).off('drain', this.#onDrain);
    return true;
  }
}

/** Hop-by-hop headers (RFC 9110 §7.6.1), and `expect`, which our server has already handled. */
const hopByHop = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Used between our processes; a client that sends them would be trusted as one of us. */
const internalPrefix = 'x-webkiln-';

/** The headers that the proxy forwards: no hop-by-hop and no internal ones. */
function endToEndHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const connectionHeaders = headers.connection?.toLowerCase().split(/[\s,]+/) ?? [];
  const forwarded: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !hopByHop.has(name) && !connectionHeaders.includes(name) && !name.startsWith(internalPrefix))
      forwarded[name] = value;
  }
  return forwarded;
}

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
