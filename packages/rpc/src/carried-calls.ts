import type { ServerDuplexStream } from '@grpc/grpc-js';
import { Metadata } from '@grpc/grpc-js';
import type { Calls__Output as Calls } from '../gen/webkiln/carrier/v1/Calls.ts';
import type { Replies } from '../gen/webkiln/carrier/v1/Replies.ts';
import type { Dispatcher } from './dispatch.ts';
import { Waiting } from './incoming.ts';
import type { Headers, Outcome } from './outcome.ts';
import { type Sized, TurnBatches } from './turn-batches.ts';

export type CarryStream = ServerDuplexStream<Calls, Replies>;

/** When this much waits to be read by the caller, no further calls are taken from him. */
const heldBytesMost = 8 * 1024 * 1024;
const frameBytes = 64;

class ReplyFrame implements Sized {
  readonly n: number;
  readonly status: number;
  readonly details: string;
  readonly metadata: Headers;
  readonly payload: Uint8Array;

  constructor(n: number, { status, details, metadata, payload }: Outcome) {
    this.n = n;
    this.status = status;
    this.details = details;
    this.metadata = metadata;
    this.payload = payload;
  }

  get size(): number {
    return frameBytes + this.payload.length;
  }
}

/** The calls that one caller carries over one stream. */
export class CarriedCalls {
  readonly #stream: CarryStream;
  readonly #dispatcher: Dispatcher;
  readonly #replies: TurnBatches<ReplyFrame, Replies>;
  readonly #waiting = new Map<number, Waiting>();
  /** The caller sends no more. */
  #ended = false;

  constructor(stream: CarryStream, dispatcher: Dispatcher) {
    this.#stream = stream;
    this.#dispatcher = dispatcher;
    this.#replies = new TurnBatches(stream, (replies) => ({ replies: replies as ReplyFrame[] }));
    stream.on('data', (calls: Calls) => this.#receive(calls));
    stream.on('drain', () => {
      if (this.#replies.heldBytes <= heldBytesMost) stream.resume();
    });
    stream.on('end', () => {
      this.#ended = true;
      this.#endIfDone();
    });
    stream.on('cancelled', () => {
      for (const waiting of this.#waiting.values()) waiting.cancel();
      this.#waiting.clear();
    });
    // The caller counts this replica in when he gets the headers.
    stream.sendMetadata(new Metadata());
  }

  /** Asks the caller to send nothing more; what he has sent is answered. */
  drain(): void {
    this.#stream.write({ draining: true });
  }

  #receive({ calls, cancelled }: Calls): void {
    const now = Date.now();
    for (const { n, method, deadline_ms, metadata, payload } of calls) {
      const waiting = new Waiting(now + deadline_ms);
      this.#waiting.set(n, waiting);
      void this.#dispatcher.dispatch(method, metadata, payload, waiting).then((outcome) => this.#answer(n, waiting, outcome));
    }
    for (const n of cancelled) this.#waiting.get(n)?.cancel();
  }

  #answer(n: number, waiting: Waiting, outcome: Outcome): void {
    if (!this.#waiting.delete(n)) return;
    if (!waiting.over) {
      this.#replies.push(new ReplyFrame(n, outcome));
      // Only where a 'drain' is sure to come and take it back.
      if (this.#replies.heldBytes > heldBytesMost && this.#stream.writableNeedDrain) this.#stream.pause();
    }
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#ended && this.#waiting.size === 0) this.#replies.end();
  }
}
