import { type Client, type ClientDuplexStream, Metadata, status } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import type { Calls } from '../../gen/webkiln/carrier/v1/Calls.ts';
import type { Replies__Output as Replies } from '../../gen/webkiln/carrier/v1/Replies.ts';
import { definitionOf } from '../methods.ts';
import { type Credentials, nonceHeader } from '../principal/credentials.ts';
import type { Attempt, AttemptObserver, CallRequest } from '../wire.ts';
import { CancelFrame, FrameBatcher, MuxCall, toCalls } from './frames.ts';

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
