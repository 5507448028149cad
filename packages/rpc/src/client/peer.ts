import { type ChannelCredentials, status } from '@grpc/grpc-js';
import { type Expiring, forgetDeadline, watchDeadline } from '../deadlines.ts';
import type { Credentials } from '../principal/credentials.ts';
import { type Attempt, type AttemptObserver, type CallRequest, failedResult } from '../wire.ts';
import { AddressResolver } from './address-resolver.ts';
import type { AttemptSender } from './outgoing-call.ts';
import { Replica, type Transport } from './replica.ts';

interface PeerOptions {
  /** "host:port", or several separated by commas. */
  readonly addresses: string;
  readonly transport: Transport;
  /** Calls in flight to each replica. */
  readonly maxInFlight: number;
  readonly credentials: Credentials;
  readonly channelCredentials: ChannelCredentials;
}

/** Another service with all its replicas. Owns the replicas and the calls that wait for one. */
export class Peer implements AttemptSender {
  readonly #options: PeerOptions;
  readonly #resolver: AddressResolver;
  readonly #queue = new ConnectQueue();
  #replicas: readonly Replica[] = [];
  /** Rotates the replica that equally busy ones are compared from. */
  #rotation = 0;
  #isClosed = false;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.#resolver = new AddressResolver(options.addresses, (addresses) => this.#setAddresses(addresses));
  }

  /** Starts to resolve the addresses and to connect to the replicas. */
  connect(): void {
    this.#resolver.start();
  }

  get isReady(): boolean {
    return this.#replicas.some((replica) => replica.isReady);
  }

  /** Sends the attempt to the replica with the fewest calls in flight. Without a connected replica it waits for one. */
  send(request: CallRequest, observer: AttemptObserver): Attempt | undefined {
    const replica = this.#leastBusy();
    if (replica !== undefined) return replica.send(request, observer);
    if (this.#isClosed) observer.onResult(failedResult(status.UNAVAILABLE, 'this process is shutting down'));
    else if (!this.isReady && this.#queue.size < this.#options.maxInFlight) return this.#queue.add(request, observer);
    else observer.onResult(failedResult(status.RESOURCE_EXHAUSTED, 'too many calls in flight'));
    return undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#resolver.close();
    const replicas = this.#replicas;
    this.#replicas = [];
    for (const replica of replicas) replica.close();
    this.#queue.release(this);
  }

  #leastBusy(): Replica | undefined {
    const replicas = this.#replicas;
    let found: Replica | undefined;
    this.#rotation++;
    for (let i = 0; i < replicas.length; i++) {
      const replica = replicas[(this.#rotation + i) % replicas.length];
      if (replica?.isReady && !replica.isFull && (found === undefined || replica.inFlight < found.inFlight)) found = replica;
    }
    return found;
  }

  #setAddresses(addresses: ReadonlySet<string>): void {
    for (const replica of this.#replicas) if (!addresses.has(replica.address)) replica.finish();
    const kept = this.#replicas.filter(({ address }) => addresses.has(address));
    const known = new Set(kept.map(({ address }) => address));
    const { addresses: _, ...shared } = this.#options;
    const options = { ...shared, onStateChange: () => this.#onStateChange() };
    this.#replicas = [...kept, ...[...addresses].filter((address) => !known.has(address)).map((address) => new Replica(address, options))];
    this.#onStateChange();
  }

  #onStateChange(): void {
    if (this.#isClosed) return;
    if (this.isReady) this.#queue.release(this);
    else this.#resolver.resolveSoon();
  }
}

const connectTimeoutMs = 2000;

/** Calls made while no replica is connected. Each waits up to 2 s, then fails as `unavailable`. */
class ConnectQueue {
  readonly #calls = new Set<QueuedCall>();

  get size(): number {
    return this.#calls.size;
  }

  add(request: CallRequest, observer: AttemptObserver): Attempt {
    const call = new QueuedCall(this.#calls, request, observer);
    this.#calls.add(call);
    watchDeadline(call);
    return call;
  }

  /** Sends every queued call; the sender may queue it again. */
  release(sender: AttemptSender): void {
    const calls = [...this.#calls];
    this.#calls.clear();
    for (const call of calls) call.send(sender);
  }
}

class QueuedCall implements Attempt, Expiring {
  readonly deadlineAt = Date.now() + connectTimeoutMs;
  readonly #queue: Set<QueuedCall>;
  readonly #request: CallRequest;
  readonly #observer: AttemptObserver;
  #attempt: Attempt | undefined;

  constructor(queue: Set<QueuedCall>, request: CallRequest, observer: AttemptObserver) {
    this.#queue = queue;
    this.#request = request;
    this.#observer = observer;
  }

  send(sender: AttemptSender): void {
    forgetDeadline(this);
    this.#attempt = sender.send(this.#request, this.#observer);
  }

  expire(): void {
    this.#queue.delete(this);
    this.#observer.onResult(failedResult(status.UNAVAILABLE, 'no replica is reachable'));
  }

  cancel(): void {
    this.#queue.delete(this);
    forgetDeadline(this);
    this.#attempt?.cancel();
  }
}
