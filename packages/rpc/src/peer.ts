import { status } from '@grpc/grpc-js';
import { Addresses } from './addresses.ts';
import type { Credentials } from './credentials.ts';
import { type Expiring, forgetDeadline, watchDeadline } from './deadlines.ts';
import { failure } from './outcome.ts';
import type { OutgoingCall } from './outgoing-call.ts';
import { Replica, type Transport } from './replica.ts';

const connectWithinMs = 2000;

interface PeerOptions {
  /** "host:port", or several with commas between. */
  readonly addresses: string;
  readonly transport: Transport;
  /** Calls at once to each replica. */
  readonly maxInFlight: number;
  readonly credentials: Credentials;
}

/** Another service, with all its replicas. */
export class Peer {
  readonly #options: PeerOptions;
  readonly #addresses: Addresses;
  #replicas: readonly Replica[] = [];
  /** Calls for which there is no replica yet. */
  readonly #waiting = new Set<WaitingCall>();
  #turn = 0;
  #closed = false;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.#addresses = new Addresses(options.addresses, (addresses) => this.#follow(addresses));
  }

  get ready(): boolean {
    return this.#replicas.some((replica) => replica.ready);
  }

  /** Gives the call to the replica with the fewest in flight; waits up to 2 s for one to be there. */
  send(call: OutgoingCall): void {
    if (call.over) return;
    const replica = this.#leastBusy();
    if (replica !== undefined) replica.send(call);
    else if (this.#closed) call.end(failure(status.UNAVAILABLE, 'this process is about to stop'));
    else if (this.ready || this.#waiting.size >= this.#options.maxInFlight) call.end(failure(status.RESOURCE_EXHAUSTED, 'too many calls'));
    else this.#wait(call);
  }

  close(): void {
    this.#closed = true;
    this.#addresses.close();
    const replicas = this.#replicas;
    this.#replicas = [];
    for (const replica of replicas) replica.close();
    for (const { call } of this.#waiting) this.send(call);
  }

  #wait(call: OutgoingCall): void {
    const waiting = new WaitingCall(call, this.#waiting);
    this.#waiting.add(waiting);
    watchDeadline(waiting);
  }

  /** Of equally busy ones, each in its turn. */
  #leastBusy(): Replica | undefined {
    const replicas = this.#replicas;
    let found: Replica | undefined;
    this.#turn++;
    for (let i = 0; i < replicas.length; i++) {
      const replica = replicas[(this.#turn + i) % replicas.length];
      if (replica?.ready && !replica.full && (found === undefined || replica.inFlight < found.inFlight)) found = replica;
    }
    return found;
  }

  #follow(addresses: ReadonlySet<string>): void {
    for (const replica of this.#replicas) if (!addresses.has(replica.address)) replica.leave();
    const kept = this.#replicas.filter(({ address }) => addresses.has(address));
    const known = new Set(kept.map(({ address }) => address));
    const { transport, maxInFlight, credentials } = this.#options;
    const options = { transport, maxInFlight, credentials, changed: () => this.#changed() };
    this.#replicas = [...kept, ...[...addresses].filter((address) => !known.has(address)).map((address) => new Replica(address, options))];
    this.#changed();
  }

  #changed(): void {
    if (this.#closed) return;
    if (!this.ready) this.#addresses.hurry();
    else this.#release();
  }

  #release(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const item of waiting) {
      forgetDeadline(item);
      this.send(item.call);
    }
  }
}

class WaitingCall implements Expiring {
  readonly call: OutgoingCall;
  readonly deadlineAt = Date.now() + connectWithinMs;
  readonly #all: Set<WaitingCall>;

  constructor(call: OutgoingCall, all: Set<WaitingCall>) {
    this.call = call;
    this.#all = all;
  }

  expire(): void {
    this.#all.delete(this);
    this.call.end(failure(status.UNAVAILABLE, 'no replica can be reached'));
  }
}
