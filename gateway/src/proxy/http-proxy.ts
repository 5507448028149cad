import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { logger, processTls, type TlsIdentity } from '@webkiln/runtime';
import { hasBody } from '../api/read-body.ts';
import { RequestSlots } from '../in-flight/request-slots.ts';
import { ProxyHandler } from './proxy-handler.ts';
import { Replicas } from './replicas.ts';
import { readSmallBody } from './small-body.ts';
import { refuseVisitor } from './visitor-refusal.ts';

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

export interface ProxyLimits {
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
  /** By default the identity of this process, if it has one. */
  readonly tls?: TlsIdentity;
}

/**
 * Reverse proxy to the replicas of a service, over kept-alive connections. Retries GET and HEAD on another replica.
 * Adds `x-webkiln-client-address` and `x-webkiln-request-id`; a retry keeps the request id. A request holds a
 * connection only once its body is read (a large one while it streams), and waits for it fairly between networks.
 */
export class HttpProxy {
  readonly #service: string;
  readonly #clientAddress: Options['clientAddress'];
  readonly #refuse: (response: ServerResponse, error: AppError) => void;
  readonly #stallTimeoutMs: number;
  readonly #replicas: Replicas;
  readonly #connections: RequestSlots;

  constructor({ service, addresses, clientAddress, limits, refuse = refuseVisitor, tls = processTls() }: Options) {
    const { connectionsPerReplica, maxPerNetwork, maxWaitMs, stallTimeoutMs } = limits;
    this.#service = service;
    this.#clientAddress = clientAddress;
    this.#refuse = refuse;
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
    const addedHeaders = { 'x-webkiln-client-address': network, 'x-webkiln-request-id': randomUUID() };
    const proxied = { request, response, network, addedHeaders, attemptsLeft };
    if (!hasBody(request)) return void this.#connect({ ...proxied, body: null });
    readSmallBody(request).then(
      (body) => this.#connect({ ...proxied, body: body ?? request }),
      (error) => this.#refuse(response, error instanceof AppError ? error : new AppError('malformed_request')),
    );
  };

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
    const exchange = { request, response, body, stallTimeoutMs: this.#stallTimeoutMs, onFailure, onDone };
    new ProxyHandler(exchange).dispatch(replica.pool, addedHeaders);
  }
}
