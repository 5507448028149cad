import { type Client, type ClientDuplexStream, Metadata, status } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import { FrameBatcher, type Sized } from '@webkiln/runtime';
import type { Call } from '../../gen/webkiln/carrier/v1/Call.ts';
import type { Calls } from '../../gen/webkiln/carrier/v1/Calls.ts';
import type { Replies__Output as Replies } from '../../gen/webkiln/carrier/v1/Replies.ts';
import type { Attempt, AttemptObserver, CallRequest } from '../client/outgoing-call.ts';
import { definitionOf } from '../methods.ts';
import { type Credentials, nonceHeader } from '../principal/principal.ts';

const carry = definitionOf('webkiln.carrier.v1.Carrier').Carry as MethodDefinition<Calls, unknown, unknown, Replies>;

/** Reports the connection's state to its replica. */
interface MuxConnectionEvents {
  /** The replica accepts calls. */
  onReady(): void;
  /** The replica is shutting down and takes no further calls. */
  onDraining(): void;
  /** The connection is closed. Afterwards the observers of its calls get `onLost`. */
  onClose(reason: string): void;
}

/**
 * The client's end of the multiplexed stream to a replica. Calls leave in batches of frames; replies come in any
 * order.
 */
export class MuxConnection {
  readonly #stream: ClientDuplexStream<Calls, Replies>;
  readonly #frames: FrameBatcher<MuxCall | CancelFrame, Calls>;
  readonly #inFlight = new Map<number, MuxCall>();
  readonly #events: MuxConnectionEvents;
  #lastId = 0;
  #isClosed = false;

  /** Opens the stream; waits for the replica as long as it takes. */
  constructor(client: Client, credentials: Credentials, events: MuxConnectionEvents) {
    this.#events = events;
    const metadata = new Metadata({ waitForReady: true });
    this.#stream = client.makeBidiStreamRequest(carry.path, carry.requestSerialize, carry.responseDeserialize, metadata);
    this.#frames = new FrameBatcher(this.#stream, toCalls);
    this.#stream.on('metadata', (greeting) => this.#authenticate(credentials, String(greeting.get(nonceHeader)[0])));
    this.#stream.on('data', (replies: Replies) => this.#onReplies(replies));
    this.#stream.on('error', () => undefined); // 'status' reports the same and always follows
    this.#stream.on('status', ({ code, details }) => this.#onEnd(`the stream ended: ${status[code]} ${details}`));
  }

  /** Calls in flight. */
  get size(): number {
    return this.#inFlight.size;
  }

  /** Bytes not yet written to the stream. */
  get heldBytes(): number {
    return this.#frames.heldBytes;
  }

  send(request: CallRequest, observer: AttemptObserver): Attempt {
    this.#lastId = (this.#lastId + 1) >>> 0;
    const call = new MuxCall(this.#lastId, request, observer, this.#onCancel);
    this.#inFlight.set(call.id, call);
    this.#frames.push(call);
    return call;
  }

  /** Half-closes the stream: nothing more is sent, calls in flight are still answered. */
  finish(): void {
    this.#frames.end();
  }

  close(): void {
    this.#stream.cancel();
  }

  /** Signs the replica's nonce. Calls may follow at once. */
  async #authenticate(credentials: Credentials, nonce: string): Promise<void> {
    const proof = await credentials.proof(nonce);
    if (this.#isClosed) return;
    this.#stream.write({ proof });
    this.#events.onReady();
  }

  readonly #onCancel = (call: MuxCall): void => {
    if (this.#inFlight.delete(call.id) && call.wasSent) this.#frames.push(new CancelFrame(call.id));
  };

  #onReplies({ replies, draining }: Replies): void {
    for (const reply of replies) {
      const call = this.#inFlight.get(reply.n);
      this.#inFlight.delete(reply.n);
      call?.observer.onResult(reply);
    }
    if (draining) this.#events.onDraining();
  }

  #onEnd(reason: string): void {
    const lost = [...this.#inFlight.values()];
    this.#inFlight.clear();
    this.#isClosed = true;
    this.#events.onClose(reason);
    for (const { observer, wasSent } of lost) observer.onLost(reason, wasSent);
  }
}

/** An estimate of a frame's size without its payload. */
const callHeaderBytes = 512;

/** A call in flight on a multiplexed stream. */
class MuxCall implements Attempt, Sized {
  /** Unique on the stream while the call is in flight. */
  readonly id: number;
  readonly request: CallRequest;
  readonly observer: AttemptObserver;
  readonly #onCancel: (call: MuxCall) => void;
  #wasSent = false;
  #isCancelled = false;

  constructor(id: number, request: CallRequest, observer: AttemptObserver, onCancel: (call: MuxCall) => void) {
    this.id = id;
    this.request = request;
    this.observer = observer;
    this.#onCancel = onCancel;
  }

  get size(): number {
    return this.request.payload.length + callHeaderBytes;
  }

  /** The replica may have started to run the call. */
  get wasSent(): boolean {
    return this.#wasSent;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#onCancel(this);
  }

  /** The call as it goes on the wire; from then on it counts as sent. */
  toFrame(now: number): Call {
    this.#wasSent = true;
    const { method, deadlineAt, headers, payload } = this.request;
    const principal = this.request.principal as NonNullable<Call['principal']>;
    return { n: this.id, method: method.name, deadline_ms: Math.max(0, deadlineAt - now), metadata: headers, payload, principal };
  }
}

/** Tells the replica that the caller no longer waits for a call. */
class CancelFrame implements Sized {
  readonly size = 8;
  readonly id: number;
  constructor(id: number) {
    this.id = id;
  }
}

/** One message of the stream; calls that were cancelled before they were sent are left out. */
function toCalls(items: readonly (MuxCall | CancelFrame)[]): Calls {
  const now = Date.now();
  const calls: Call[] = [];
  const cancelled: number[] = [];
  for (const item of items) {
    if (item instanceof CancelFrame) cancelled.push(item.id);
    else if (!item.isCancelled) calls.push(item.toFrame(now));
  }
  return { calls, cancelled };
}
