import { type ChannelCredentials, Client, type ClientUnaryCall, type StatusObject, status } from '@grpc/grpc-js';
import { logger } from '@webkiln/runtime';
import type { Credentials } from '../principal/principal.ts';
import { MuxConnection } from '../stream/mux-connection.ts';
import { clientOptions, headersIn, maxReconnectMs, metadataOf } from '../transport.ts';
import type { CallResult } from '../wire.ts';
import type { Attempt, AttemptObserver, CallRequest } from './outgoing-call.ts';

export type Transport = 'carried' | 'unary';

/** A larger request would hold up the others on the stream, so it is sent as a unary call. */
const maxFrameBytes = 1024 * 1024;
const maxHeldFrameBytes = 8 * 1024 * 1024;
const maxHeldUnaryBytes = 64 * 1024 * 1024;
const minReconnectMs = 50;

interface ReplicaOptions {
  readonly transport: Transport;
  readonly maxInFlight: number;
  readonly credentials: Credentials;
  /** How the connection is secured. */
  readonly channelCredentials: ChannelCredentials;
  /** `isReady` may have changed. */
  onStateChange(): void;
}

/** One process of a service. Its multiplexed stream is open for either transport: it shows readiness and draining. */
export class Replica {
  readonly address: string;
  readonly #options: ReplicaOptions;
  readonly #client: Client;
  readonly #unary: UnaryConnection;
  #mux: MuxConnection;
  #isReady = false;
  /** No reconnect when the stream ends. */
  #isFinished = false;
  #reconnectMs = minReconnectMs;
  #reconnectTimer: NodeJS.Timeout | undefined;

  constructor(address: string, options: ReplicaOptions) {
    this.address = address;
    this.#options = options;
    this.#client = new Client(address, options.channelCredentials, clientOptions);
    this.#unary = new UnaryConnection(this.#client, options.credentials);
    this.#mux = this.#connect();
  }

  /** True while the replica is connected and accepts calls. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get inFlight(): number {
    return this.#mux.size + this.#unary.size;
  }

  get isFull(): boolean {
    if (this.inFlight >= this.#options.maxInFlight) return true;
    return this.#mux.heldBytes >= maxHeldFrameBytes || this.#unary.heldBytes >= maxHeldUnaryBytes;
  }

  send(request: CallRequest, observer: AttemptObserver): Attempt {
    const isUnary = this.#options.transport === 'unary' || request.payload.length > maxFrameBytes;
    return isUnary ? this.#unary.send(request, observer) : this.#mux.send(request, observer);
  }

  /** Stops new calls and closes the connection when the calls in flight have ended. */
  finish(): void {
    if (!this.#isReady) {
      this.close();
      return;
    }
    this.#isFinished = true;
    this.#isReady = false;
    this.#mux.finish();
  }

  /** Closes the connection; calls in flight fail. */
  close(): void {
    this.#isFinished = true;
    this.#isReady = false;
    clearTimeout(this.#reconnectTimer);
    this.#mux.close();
    this.#unary.close();
    this.#client.close();
  }

  #connect(): MuxConnection {
    return new MuxConnection(this.#client, this.#options.credentials, {
      onReady: () => {
        logger.info({ address: this.address }, 'connected to a replica');
        this.#reconnectMs = minReconnectMs;
        this.#setReady(!this.#isFinished);
      },
      onDraining: () => {
        this.#mux.finish();
        this.#setReady(false);
      },
      onClose: (reason) => this.#onClose(reason),
    });
  }

  #setReady(isReady: boolean): void {
    this.#isReady = isReady;
    this.#options.onStateChange();
  }

  #onClose(reason: string): void {
    if (this.#isReady) logger.info({ address: this.address, reason }, 'connection to a replica lost; reconnecting');
    if (this.#isFinished) {
      this.#client.close();
      return;
    }
    this.#reconnectTimer = setTimeout(() => {
      this.#mux = this.#connect();
    }, this.#reconnectMs);
    this.#reconnectMs = Math.min(this.#reconnectMs * 2, maxReconnectMs);
    this.#setReady(false);
  }
}

const identity = (bytes: Uint8Array) => bytes as Buffer;
const empty = new Uint8Array();

interface UnaryAttempt extends Attempt {
  readonly request: CallRequest;
  readonly observer: AttemptObserver;
}

/**
 * Calls to one replica as plain unary gRPC: all of them with the transport `unary`, otherwise only those too large for
 * a frame.
 */
class UnaryConnection {
  readonly #client: Client;
  readonly #credentials: Credentials;
  /** The gRPC call is undefined while the principal is being signed. */
  readonly #inFlight = new Map<UnaryAttempt, ClientUnaryCall | undefined>();
  #heldBytes = 0;

  constructor(client: Client, credentials: Credentials) {
    this.#client = client;
    this.#credentials = credentials;
  }

  /** Calls in flight. */
  get size(): number {
    return this.#inFlight.size;
  }

  /** Request bytes in flight. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  close(): void {
    for (const call of this.#inFlight.values()) call?.cancel();
  }

  send(request: CallRequest, observer: AttemptObserver): Attempt {
    const attempt: UnaryAttempt = { request, observer, cancel: () => this.#end(attempt)?.cancel() };
    this.#inFlight.set(attempt, undefined);
    this.#heldBytes += request.payload.length;
    const token = this.#credentials.token(request.principal);
    if (typeof token === 'string') this.#start(attempt, token);
    else token.then((signed) => this.#startUnlessClosed(attempt, signed));
    return attempt;
  }

  /** gRPC throws if the client was closed while the principal was signed. */
  #startUnlessClosed(attempt: UnaryAttempt, token: string): void {
    if (!this.#inFlight.has(attempt)) return;
    try {
      this.#start(attempt, token);
    } catch (error) {
      this.#end(attempt);
      attempt.observer.onLost(String(error), false);
    }
  }

  #start(attempt: UnaryAttempt, principal: string): void {
    const { method, headers, payload, deadlineAt } = attempt.request;
    const metadata = metadataOf({ ...headers, principal });
    let reply: Uint8Array = empty;
    const call = this.#client.makeUnaryRequest<Uint8Array, Buffer>(
      method.path,
      identity,
      identity,
      payload,
      metadata,
      { deadline: deadlineAt },
      (_error, bytes = Buffer.alloc(0)) => {
        reply = bytes;
      },
    );
    this.#inFlight.set(attempt, call);
    call.on('status', ({ code, details, metadata: trailers }: StatusObject) => {
      this.#end(attempt);
      report(attempt.observer, { status: code, details, metadata: headersIn(trailers), payload: reply });
    });
  }

  #end(attempt: UnaryAttempt): ClientUnaryCall | undefined {
    const call = this.#inFlight.get(attempt);
    if (this.#inFlight.delete(attempt)) this.#heldBytes -= attempt.request.payload.length;
    return call;
  }
}

/** A service that throws `unavailable` names an error code. Without one the replica itself is gone. */
function report(observer: AttemptObserver, result: CallResult): void {
  if (result.status === status.UNAVAILABLE && result.metadata['error-code'] === undefined) observer.onLost(result.details, true);
  else observer.onResult(result);
}
