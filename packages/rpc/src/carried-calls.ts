import { randomBytes } from 'node:crypto';
import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import { logger } from '@webkiln/runtime';
import type { Calls__Output as Calls } from '../gen/webkiln/carrier/v1/Calls.ts';
import type { Replies } from '../gen/webkiln/carrier/v1/Replies.ts';
import type { Principal } from './caller.ts';
import { nonceHeader } from './credentials.ts';
import type { Dispatcher } from './dispatch.ts';
import { Waiting } from './incoming.ts';
import type { Headers, Outcome } from './outcome.ts';
import { type Sized, TurnBatches } from './turn-batches.ts';
import type { Verifier } from './verifier.ts';

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
  readonly #verifier: Verifier;
  readonly #waiting = new Map<number, Waiting>();
  readonly #nonce = randomBytes(32).toString('base64url');
  /** He has proven that he is one whom this service believes. */
  #trusted = false;
  /** The caller sends no more. */
  #ended = false;

  constructor(stream: CarryStream, dispatcher: Dispatcher, verifier: Verifier) {
    this.#stream = stream;
    this.#dispatcher = dispatcher;
    this.#verifier = verifier;
    this.#replies = new TurnBatches(stream, (replies) => ({ replies: replies as ReplyFrame[] }));
    stream.once('data', (first: Calls) => void this.#begin(first));
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
    const greeting = new Metadata();
    greeting.set(nonceHeader, this.#nonce);
    stream.sendMetadata(greeting);
  }

  /** Asks the caller to send nothing more; what he has sent is answered. */
  drain(): void {
    this.#stream.write({ draining: true });
  }

  /** Nothing is read on before the proof is checked; without a good one every call is refused. */
  async #begin(first: Calls): Promise<void> {
    this.#stream.pause();
    try {
      await this.#verifier.verifyProof(first.proof, this.#nonce);
      this.#trusted = true;
    } catch (error) {
      logger.warn({ reason: String(error) }, 'a stream whose caller is not trusted: its calls are refused');
    }
    this.#receive(first);
    this.#stream.on('data', (calls: Calls) => this.#receive(calls));
    this.#stream.resume();
  }

  #receive({ calls, cancelled }: Calls): void {
    const now = Date.now();
    for (const { n, method, deadline_ms, metadata, payload, principal } of calls) {
      const waiting = new Waiting(now + deadline_ms);
      this.#waiting.set(n, waiting);
      void this.#dispatcher
        .dispatch(method, this.#believed(principal), metadata, payload, waiting)
        .then((outcome) => this.#answer(n, waiting, outcome));
    }
    for (const n of cancelled) this.#waiting.get(n)?.cancel();
  }

  #believed(principal: object | null): Principal | undefined {
    return this.#trusted && principal !== null ? (principal as Principal) : undefined;
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
