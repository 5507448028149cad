import { type ChannelCredentials, Client } from '@grpc/grpc-js';
import { logger } from '@webkiln/runtime';
import type { Attempt, AttemptObserver, CallRequest } from '../attempt.ts';
import { clientOptions, maxReconnectMs } from '../grpc-options.ts';
import type { Credentials } from '../principal/credentials.ts';
import { MuxConnection } from '../stream/mux-connection.ts';
import { UnaryConnection } from './unary-connection.ts';

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
