import { randomBytes } from 'node:crypto';
import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import type { Principal } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import type { Calls__Output as Calls } from '../../gen/webkiln/carrier/v1/Calls.ts';
import type { Replies } from '../../gen/webkiln/carrier/v1/Replies.ts';
import type { CallResult } from '../call-result.ts';
import { Cancellation } from '../cancellation.ts';
import { nonceHeader } from '../principal/credentials.ts';
import type { MayState, Verifier } from '../principal/verifier.ts';
import type { Dispatcher } from '../server/dispatch.ts';
import { FrameBatcher } from './frame-batcher.ts';
import { ReplyFrame } from './frames.ts';

export type MuxStream = ServerDuplexStream<Calls, Replies>;

/** While the caller has this much to read, no further calls are read from it. */
const maxHeldBytes = 8 * 1024 * 1024;

interface SessionOptions {
  readonly dispatcher: Dispatcher;
  readonly verifier: Verifier;
  /** The caller has proved who it is. */
  onProven(): void;
}

/** The server's end of one multiplexed stream. */
export class MuxSession {
  readonly #stream: MuxStream;
  readonly #options: SessionOptions;
  readonly #replies: FrameBatcher<ReplyFrame, Replies>;
  /** Calls in flight, by their number on the stream. */
  readonly #inFlight = new Map<number, Cancellation>();
  readonly #nonce = randomBytes(32).toString('base64url');
  /** The statements accepted from the issuer that opened the stream: none until it has proved itself. */
  #mayState: MayState = () => false;
  /** The caller sends no more. */
  #hasEnded = false;

  constructor(stream: MuxStream, options: SessionOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#replies = new FrameBatcher(stream, (replies) => ({ replies: replies as ReplyFrame[] }));
  }

  /** Sends the nonce and serves what the caller sends. */
  start(): void {
    this.#stream.once('data', (first: Calls) => void this.#authenticate(first));
    this.#stream.on('drain', () => {
      if (this.#replies.heldBytes <= maxHeldBytes) this.#stream.resume();
    });
    this.#stream.on('end', () => {
      this.#hasEnded = true;
      this.#endIfDone();
    });
    this.#stream.on('cancelled', () => {
      for (const cancellation of this.#inFlight.values()) cancellation.cancel();
      this.#inFlight.clear();
    });
    const greeting = new Metadata();
    greeting.set(nonceHeader, this.#nonce);
    this.#stream.sendMetadata(greeting);
  }

  /** Asks the caller to send no more calls; those it has sent are answered. */
  drain(): void {
    this.#stream.write({ draining: true });
  }

  /** Reads no further message until the proof is verified. Without a valid one every call is refused. */
  async #authenticate(first: Calls): Promise<void> {
    this.#stream.pause();
    try {
      this.#mayState = await this.#options.verifier.verifyProof(first.proof, this.#nonce);
      this.#options.onProven();
    } catch (error) {
      logger.warn({ reason: String(error) }, 'stream without a valid proof; its calls are refused until it is closed');
    }
    this.#onCalls(first);
    this.#stream.on('data', (calls: Calls) => this.#onCalls(calls));
    this.#stream.resume();
  }

  #onCalls({ calls, cancelled }: Calls): void {
    const now = Date.now();
    for (const { n, method, deadline_ms, metadata, payload, principal } of calls) {
      const cancellation = new Cancellation(now + deadline_ms);
      this.#inFlight.set(n, cancellation);
      const stated = principal as object as Principal | null;
      const trusted = stated !== null && this.#mayState(stated) ? stated : undefined;
      void this.#options.dispatcher
        .dispatch(method, trusted, metadata, payload, cancellation)
        .then((result) => this.#reply(n, cancellation, result));
    }
    for (const n of cancelled) this.#inFlight.get(n)?.cancel();
  }

  #reply(n: number, { isCancelled }: Cancellation, result: CallResult): void {
    if (!this.#inFlight.delete(n)) return;
    if (!isCancelled) {
      this.#replies.push(new ReplyFrame(n, result));
      // Pause only if a 'drain' event is certain to follow and resume the stream.
      if (this.#replies.heldBytes > maxHeldBytes && this.#stream.writableNeedDrain) this.#stream.pause();
    }
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#hasEnded && this.#inFlight.size === 0) this.#replies.end();
  }
}
