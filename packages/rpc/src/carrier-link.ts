import { type Client, type ClientDuplexStream, Metadata, status } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import type { Call } from '../gen/webkiln/carrier/v1/Call.ts';
import type { Calls } from '../gen/webkiln/carrier/v1/Calls.ts';
import type { Replies__Output as Replies } from '../gen/webkiln/carrier/v1/Replies.ts';
import { type Credentials, nonceHeader } from './credentials.ts';
import type { Carrying, OutgoingCall } from './outgoing-call.ts';
import { definitionOf } from './protos.ts';
import { type Sized, TurnBatches } from './turn-batches.ts';

type Sent = NonNullable<Call['principal']>;

const carry = definitionOf('webkiln.carrier.v1.Carrier').Carry as MethodDefinition<Calls, unknown, unknown, Replies>;

/** What the owner of a link hears of it. */
export interface LinkEvents {
  /** The replica is there. */
  ready(): void;
  /** It is about to stop: no further calls. */
  draining(): void;
  /** The link is over; what was in flight on it is lost. */
  closed(reason: string): void;
}

class Cancelled implements Sized {
  readonly size = 8;
  readonly n: number;
  constructor(n: number) {
    this.n = n;
  }
}

/** The one long-lived stream to a replica: calls go out in frames, answers come back in any order. */
export class CarrierLink implements Carrying {
  readonly #stream: ClientDuplexStream<Calls, Replies>;
  readonly #frames: TurnBatches<OutgoingCall | Cancelled, Calls>;
  readonly #inFlight = new Map<number, OutgoingCall>();
  readonly #events: LinkEvents;
  #lastNumber = 0;
  #over = false;

  /** Waits for the replica as long as it takes. */
  constructor(client: Client, credentials: Credentials, events: LinkEvents) {
    this.#events = events;
    const metadata = new Metadata({ waitForReady: true });
    this.#stream = client.makeBidiStreamRequest(carry.path, carry.requestSerialize, carry.responseDeserialize, metadata);
    this.#frames = new TurnBatches(this.#stream, framesOf);
    this.#stream.on('metadata', (answer) => this.#introduce(credentials, String(answer.get(nonceHeader)[0])));
    this.#stream.on('data', (replies: Replies) => this.#receive(replies));
    this.#stream.on('error', () => undefined); // 'status' tells the same and always comes
    this.#stream.on('status', ({ code, details }) => this.#lost(`the stream ended: ${status[code]} ${details}`));
  }

  /** Proves who opens the stream; calls may follow at once. */
  async #introduce(credentials: Credentials, nonce: string): Promise<void> {
    const proof = await credentials.proof(nonce);
    if (this.#over) return;
    this.#stream.write({ proof });
    this.#events.ready();
  }

  get heldBytes(): number {
    return this.#frames.heldBytes;
  }

  send(call: OutgoingCall): void {
    this.#lastNumber = (this.#lastNumber + 1) >>> 0;
    call.n = this.#lastNumber;
    call.carrying = this;
    this.#inFlight.set(call.n, call);
    this.#frames.push(call);
  }

  /** Sends nothing more; what is in flight is still answered. */
  finish(): void {
    this.#frames.end();
  }

  close(): void {
    this.#stream.cancel();
  }

  get size(): number {
    return this.#inFlight.size;
  }

  ended(call: OutgoingCall): void {
    this.#inFlight.delete(call.n);
  }

  abandon(call: OutgoingCall): void {
    if (call.sent) this.#frames.push(new Cancelled(call.n));
  }

  #receive({ replies, draining }: Replies): void {
    for (const reply of replies) this.#inFlight.get(reply.n)?.end(reply);
    if (draining) this.#events.draining();
  }

  #lost(reason: string): void {
    const lost = [...this.#inFlight.values()];
    this.#over = true;
    this.#events.closed(reason);
    for (const call of lost) call.lost(reason);
  }
}

function framesOf(items: readonly (OutgoingCall | Cancelled)[]): Calls {
  const now = Date.now();
  const frames: Calls = { calls: [], cancelled: [] };
  for (const item of items) {
    if (item instanceof Cancelled) frames.cancelled?.push(item.n);
    else if (!item.over) {
      item.sent = true;
      const { principal, payload } = item;
      const deadline_ms = Math.max(0, item.deadlineAt - now);
      frames.calls?.push({
        n: item.n,
        method: item.route.method.name,
        deadline_ms,
        metadata: item.headers,
        payload,
        principal: principal as Sent,
      });
    }
  }
  return frames;
}
