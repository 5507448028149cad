import { Client, credentials as channelCredentials } from '@grpc/grpc-js';
import { logger } from '@webkiln/runtime';
import { CarrierLink } from './carrier-link.ts';
import type { Credentials } from './credentials.ts';
import type { OutgoingCall } from './outgoing-call.ts';
import { UnaryCalls } from './unary-calls.ts';

export type Transport = 'carried' | 'unary';

const frameBytesMost = 1024 * 1024;
const heldBytesMost = 8 * 1024 * 1024;
const unaryBytesMost = 64 * 1024 * 1024;
const firstRetryMs = 50;
const lastRetryMs = 500;

const channelOptions = {
  'grpc.max_receive_message_length': 48 * 1024 * 1024,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': lastRetryMs,
  // A process that hangs, or a host that is gone, is noticed within 10 s.
  'grpc.keepalive_time_ms': 5000,
  'grpc.keepalive_timeout_ms': 5000,
  'grpc.enable_channelz': 0,
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
};

interface ReplicaOptions {
  readonly transport: Transport;
  readonly maxInFlight: number;
  readonly credentials: Credentials;
  /** It became usable, or ceased to be. */
  changed(): void;
}

/**
 * One process of a service, at one address. The link says whether it is there and when it is about to stop, also where calls go unary.
 */
export class Replica {
  readonly address: string;
  ready = false;
  readonly #options: ReplicaOptions;
  readonly #client: Client;
  readonly #unary: UnaryCalls;
  #link: CarrierLink;
  #retryMs = firstRetryMs;
  #retrying: NodeJS.Timeout | undefined;
  #leaving = false;

  constructor(address: string, options: ReplicaOptions) {
    this.address = address;
    this.#options = options;
    this.#client = new Client(address, channelCredentials.createInsecure(), channelOptions);
    this.#unary = new UnaryCalls(this.#client, options.credentials);
    this.#link = this.#connect();
  }

  get inFlight(): number {
    return this.#link.size + this.#unary.size;
  }

  get full(): boolean {
    if (this.inFlight >= this.#options.maxInFlight) return true;
    return this.#link.heldBytes >= heldBytesMost || this.#unary.heldBytes >= unaryBytesMost;
  }

  send(call: OutgoingCall): void {
    if (this.#options.transport === 'unary' || call.payload.length > frameBytesMost) this.#unary.send(call);
    else this.#link.send(call);
  }

  /** The address is not the service's any more: what is in flight is answered, then the connection ends. */
  leave(): void {
    this.#leaving = true;
    clearTimeout(this.#retrying);
    if (this.ready) this.#link.finish();
    else this.close();
    this.ready = false;
  }

  /** Ends it at once. */
  close(): void {
    this.#leaving = true;
    this.ready = false;
    clearTimeout(this.#retrying);
    this.#link.close();
    this.#unary.close();
    this.#client.close();
  }

  #connect(): CarrierLink {
    return new CarrierLink(this.#client, this.#options.credentials, {
      ready: () => {
        logger.info({ address: this.address }, 'connected to a replica');
        this.ready = !this.#leaving;
        this.#retryMs = firstRetryMs;
        this.#options.changed();
      },
      draining: () => {
        this.ready = false;
        this.#link.finish();
        this.#options.changed();
      },
      closed: (reason) => this.#lost(reason),
    });
  }

  #lost(reason: string): void {
    if (this.ready) logger.info({ address: this.address, reason }, 'a replica is gone');
    this.ready = false;
    if (this.#leaving) {
      this.#client.close();
      return;
    }
    this.#retrying = setTimeout(() => {
      this.#link = this.#connect();
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs);
    this.#options.changed();
  }
}
