import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { type HttpServiceName, httpAddressSetting } from '@webkiln/messages';
import { logger, processTls, type TlsIdentity } from '@webkiln/runtime';
import { RequestSlots } from '../admission/bounds.ts';
import type { UnknownNames } from '../admission/quotas.ts';
import { hasBody } from '../api/exchange.ts';
import { refuse } from '../api/response-writer.ts';
import type { GatewayConfig } from '../config.ts';
import { Forwarding, Replicas } from './forward.ts';

/** The proxies to the services that serve browsers over HTTP. */
export function openProxies(config: GatewayConfig, clientAddress: (request: IncomingMessage) => string, unknownNames: UnknownNames) {
  const limits = {
    connectionsPerReplica: config.PROXY_CONNECTIONS,
    maxPerNetwork: config.NETWORK_CONCURRENCY,
    maxWaitMs: config.QUEUE_TIMEOUT_MS,
    stallTimeoutMs: config.STALL_TIMEOUT_MS,
  };
  const proxyTo = (service: HttpServiceName, more: Pick<Options, 'refuse' | 'unknownNames'> = {}) =>
    new HttpProxy({ service, addresses: config[httpAddressSetting(service)], clientAddress, limits, ...more });
  const identity = proxyTo('identity', { refuse });
  const sites = proxyTo('sites', { unknownNames });
  const analytics = proxyTo('analytics');
  return {
    identity,
    sites,
    analytics,
    async close() {
      await Promise.all([identity.close(), sites.close(), analytics.close()]);
    },
  };
}

/** Asks a service to answer for names that it has in memory alone. */
const knownNamesOnly = 'x-webkiln-known-names-only';

const retryable = new Set(['GET', 'HEAD']);

/** Requests that may wait for a connection: of one client network, and in all. */
const maxWaitingPerNetwork = 64;
const maxWaiting = 1024;

interface ProxiedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly network: string;
  readonly body: Buffer | IncomingMessage | null;
  readonly addedHeaders: Readonly<Record<string, string>>;
  readonly attemptsLeft: number;
}

interface Post {
  readonly client: IncomingMessage;
  readonly path: string;
  readonly body: object;
}

interface ProxyLimits {
  readonly connectionsPerReplica: number;
  /** Requests of one client network that hold a connection at once. */
  readonly maxPerNetwork: number;
  /** How long a request may wait for a connection. */
  readonly maxWaitMs: number;
  /** A client that reads nothing for this long is disconnected. */
  readonly stallTimeoutMs: number;
}

interface Options {
  /** Name of the service, for the log: "sites". */
  readonly service: string;
  /** "host:port" of each replica, separated by commas. */
  readonly addresses: string;
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly limits: ProxyLimits;
  /** Responds to a request that is not forwarded. The default is plain text for visitors of a site. */
  readonly refuse?: (response: ServerResponse, error: AppError) => void;
  /** Bounds the names that the service looks up and does not know. */
  readonly unknownNames?: Pick<UnknownNames, 'isRefused' | 'count'>;
  /** By default the identity of this process, if it has one. */
  readonly tls?: TlsIdentity;
}

/**
 * Reverse proxy to the replicas of a service, over kept-alive connections. Retries GET and HEAD on another replica.
 * Adds `x-webkiln-…` headers for client address and request id, which a retry keeps. A request holds a
 * connection only once its body is read (a large one while it streams), and waits for it fairly between networks.
 */
export class HttpProxy {
  readonly #service: string;
  readonly #clientAddress: Options['clientAddress'];
  readonly #refuse: (response: ServerResponse, error: AppError) => void;
  readonly #stallTimeoutMs: number;
  readonly #unknownNames: Options['unknownNames'];
  readonly #replicas: Replicas;
  readonly #connections: RequestSlots;

  constructor({ service, addresses, clientAddress, limits, refuse = refuseVisitor, unknownNames, tls = processTls() }: Options) {
    const { connectionsPerReplica, maxPerNetwork, maxWaitMs, stallTimeoutMs } = limits;
    this.#service = service;
    this.#clientAddress = clientAddress;
    this.#refuse = refuse;
    this.#unknownNames = unknownNames;
    this.#stallTimeoutMs = stallTimeoutMs;
    this.#replicas = new Replicas({ service, addresses, connectionsPerReplica, tls });
    const slots = connectionsPerReplica * this.#replicas.count;
    const waiting = { maxWaitingPerKey: maxWaitingPerNetwork, maxWaiting, maxWaitMs };
    this.#connections = new RequestSlots({ bound: `proxy ${service}`, slots, maxPerKey: maxPerNetwork, ...waiting });
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (!request.url?.startsWith('/')) return void this.#refuse(response, new AppError('malformed_request'));
    // A kept-alive connection may close just as it is used, so even a single replica gets a second attempt.
    const attemptsLeft = retryable.has(request.method ?? '') ? this.#replicas.count + 1 : 1;
    const network = this.#clientAddress(request);
    const addedHeaders = {
      'x-webkiln-client-address': network,
      'x-webkiln-request-id': randomUUID(),
      ...(this.#unknownNames?.isRefused(network) && { [knownNamesOnly]: '1' }),
    };
    const proxied = { request, response, network, addedHeaders, attemptsLeft };
    if (!hasBody(request)) return void this.#connect({ ...proxied, body: null });
    readSmallBody(request).then(
      (body) => this.#connect({ ...proxied, body: body ?? request }),
      (error) => this.#refuse(response, error instanceof AppError ? error : new AppError('malformed_request')),
    );
  };

  /**
   * Posts JSON for the client of a request, as from the page that it came from. Resolves to the status and the cookies
   * of the answer.
   */
  async post({ client, path, body }: Post): Promise<{ readonly status: number; readonly cookies: readonly string[] }> {
    const passedOn = ['cookie', 'user-agent', 'accept-language', 'origin', 'sec-fetch-site'].flatMap((name) => {
      const value = client.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    });
    const headers = {
      'content-type': 'application/json',
      'x-webkiln-client-address': this.#clientAddress(client),
      'x-webkiln-request-id': randomUUID(),
      ...Object.fromEntries(passedOn),
    };
    const answer = await this.#replicas.next().pool.request({ path, method: 'POST', headers, body: JSON.stringify(body) });
    await answer.body.dump();
    return { status: answer.statusCode, cookies: [answer.headers['set-cookie'] ?? []].flat() };
  }

  close(): Promise<void> {
    return this.#replicas.close();
  }

  /** Forwards the request as soon as its network may have a connection. */
  #connect(proxied: ProxiedRequest): void {
    const { response, network } = proxied;
    const waiter = { start: () => this.#forward(proxied), refuse: (error: AppError) => this.#refuse(response, error) };
    if (this.#connections.acquire(network, waiter)) this.#forward(proxied);
    else response.once('close', () => this.#connections.cancel(network, waiter));
  }

  #forward(proxied: ProxiedRequest): void {
    const { request, response, network, body, addedHeaders, attemptsLeft } = proxied;
    const replica = this.#replicas.next();
    const onDone = () => this.#connections.release(network);
    const onFailure = (error: Error) => {
      if (error instanceof AppError) {
        onDone();
        return this.#refuse(response, error);
      }
      this.#replicas.coolDown(replica);
      if (attemptsLeft > 1) return this.#forward({ ...proxied, attemptsLeft: attemptsLeft - 1 });
      logger.warn({ err: error, service: this.#service }, 'service unreachable; responding with 503');
      onDone();
      this.#refuse(response, new AppError('unavailable', [], { cause: error }));
    };
    const onUnknownName = () => this.#unknownNames?.count(network);
    const exchange = { request, response, body, stallTimeoutMs: this.#stallTimeoutMs, onUnknownName, onFailure, onDone };
    new Forwarding(exchange).start(replica.pool, addedHeaders);
  }
}

/** Larger than any form that people fill in without an upload. */
const maxSmallBytes = 64 * 1024;

/**
 * Reads a body of up to 64 KB whole, so that a slow client holds no upstream connection. Undefined for a larger body,
 * which stays to be read from the request as if nothing had been. Rejects if the client disconnects or is too slow.
 */
function readSmallBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (request.destroyed) return Promise.reject(new Error('the client disconnected'));
  if (Number(request.headers['content-length'] ?? 0) > maxSmallBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength;
      chunks.push(chunk);
      if (size <= maxSmallBytes) return;
      stop();
      request.pause();
      request.unshift(Buffer.concat(chunks));
      resolve(undefined);
    };
    const onEnd = () => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const onError = (error = new Error('the client disconnected')) => {
      stop();
      reject(error);
    };
    const stop = () => request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onError);
    request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onError);
  });
}

const visitorTexts: Readonly<Record<number, string>> = {
  400: 'This address is not valid.\n',
  408: 'Your request arrived too slowly. Send it again.\n',
  429: 'Too many requests at once come from your network. Try again in a few seconds.\n',
  503: 'This site cannot be reached right now. Try again in a few seconds.\n',
};

/** Refuses a visitor of a site: people read it, so it is a plain sentence. */
function refuseVisitor(response: ServerResponse, { status, code }: AppError): void {
  if (response.headersSent || response.destroyed) return;
  const text = visitorTexts[status] ?? visitorTexts[503] ?? '';
  const retry = status === 429 || status === 503 ? ['Retry-After', code === 'unavailable' ? '2' : '1'] : [];
  const headers = ['Content-Type', 'text/plain; charset=utf-8', 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];
  response.writeHead(status, [...headers, ...retry, 'Content-Length', String(Buffer.byteLength(text))]).end(text);
}
