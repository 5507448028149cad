import { randomBytes } from 'node:crypto';
import { Metadata, type ServerDuplexStream, status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import type { Principal } from '@webkiln/messages';
import { FrameBatcher, logger, type Sized } from '@webkiln/runtime';
import type { Calls__Output as Calls } from '../../gen/webkiln/carrier/v1/Calls.ts';
import type { Replies } from '../../gen/webkiln/carrier/v1/Replies.ts';
import { type Accept, nonceHeader, type Verifier } from '../principal/principal.ts';
import type { Dispatcher } from '../server/dispatch.ts';
import { type CallResult, Cancellation, type Headers } from '../wire.ts';

/** Serves multiplexed streams: the gRPC service `webkiln.carrier.v1.Carrier`, beside the ordinary RPCs. */
export class MuxService {
  readonly handlers: UntypedServiceImplementation = { Carry: (stream: MuxStream) => this.#serve(stream) };
  readonly #sessions = new Map<MuxStream, MuxSession>();
  readonly #dispatcher: Dispatcher;
  readonly #verifier: Verifier;
  readonly #unproven: UnprovenStreams;
  /** Resolves `drain`. */
  #onDrained: (() => void) | undefined;

  constructor(dispatcher: Dispatcher, verifier: Verifier, unproven: UnprovenLimits) {
    this.#dispatcher = dispatcher;
    this.#verifier = verifier;
    this.#unproven = new UnprovenStreams(unproven);
  }

  /** Resolves when all calls are answered and all streams are closed. */
  async drain(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onDrained = resolve;
    for (const session of this.#sessions.values()) session.drain();
    if (this.#sessions.size === 0) resolve();
    await promise;
  }

  #serve(stream: MuxStream): void {
    if (this.#onDrained !== undefined) {
      stream.emit('error', { code: status.UNAVAILABLE, details: 'this replica is shutting down' });
      return;
    }
    const onProven = this.#unproven.admit(stream);
    if (onProven === undefined) return;
    const session = new MuxSession(stream, { dispatcher: this.#dispatcher, verifier: this.#verifier, onProven });
    this.#sessions.set(stream, session);
    stream.on('close', () => {
      this.#sessions.delete(stream);
      if (this.#sessions.size === 0) this.#onDrained?.();
    });
    session.start();
  }
}

type MuxStream = ServerDuplexStream<Calls, Replies>;

/** While the caller has this much to read, no further calls are read from it. */
const maxHeldBytes = 8 * 1024 * 1024;

interface SessionOptions {
  readonly dispatcher: Dispatcher;
  readonly verifier: Verifier;
  /** The caller has proved who it is. */
  onProven(): void;
}

/** The server's end of one multiplexed stream. */
class MuxSession {
  readonly #stream: MuxStream;
  readonly #options: SessionOptions;
  readonly #replies: FrameBatcher<ReplyFrame, Replies>;
  /** Calls in flight, by their number on the stream. */
  readonly #inFlight = new Map<number, Cancellation>();
  readonly #nonce = randomBytes(32).toString('base64url');
  /** What is accepted from the issuer that opened the stream: nothing until it has proved itself. */
  #accept: Accept | undefined;
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
      this.#accept = await this.#options.verifier.verifyProof(first.proof, this.#nonce);
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
      const run = (trusted: Principal | undefined) =>
        this.#options.dispatcher
          .dispatch(method, trusted, metadata, payload, cancellation)
          .then((result) => this.#reply(n, cancellation, result));
      const accepted = this.#accepted(principal as object as Principal | null, metadata.delegation);
      // At once where it is known: calls of one message stay together.
      if (accepted instanceof Promise) void accepted.then(run);
      else void run(accepted);
    }
    for (const n of cancelled) this.#inFlight.get(n)?.cancel();
  }

  /** The principal of a call; undefined if it has none that is accepted. Never rejects. */
  #accepted(stated: Principal | null, delegation: string | undefined): Principal | undefined | Promise<Principal | undefined> {
    if (stated === null || this.#accept === undefined) return undefined;
    try {
      const accepted = this.#accept(stated, delegation);
      return accepted instanceof Promise ? accepted.catch(refused) : accepted;
    } catch (error) {
      return refused(error);
    }
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

function refused(error: unknown): undefined {
  logger.warn({ reason: String(error) }, 'call refused: no valid principal');
}

/** Bounds of streams whose callers have not proved who they are. */
export interface UnprovenLimits {
  readonly timeoutMs: number;
  readonly maxPerHost: number;
}

/** A caller signs as soon as it is greeted; all processes of one host may connect at once. */
export const defaultUnprovenLimits: UnprovenLimits = { timeoutMs: 10_000, maxPerHost: 64 };

/** Ends streams that do not prove themselves in time, and bounds how many one host holds open meanwhile. */
class UnprovenStreams {
  readonly #limits: UnprovenLimits;
  readonly #perHost = new Map<string, number>();

  constructor(limits: UnprovenLimits) {
    this.#limits = limits;
  }

  /**
   * Watches a new stream. Returns what to call once its caller has proved who it is, which may be called repeatedly.
   * Undefined if the stream was refused, as `RESOURCE_EXHAUSTED`: too many of its host have proved nothing yet.
   */
  admit(stream: MuxStream): (() => void) | undefined {
    const host = stream.getPeer().replace(/:\d+$/, '');
    const open = this.#perHost.get(host) ?? 0;
    if (open >= this.#limits.maxPerHost) {
      stream.emit('error', { code: status.RESOURCE_EXHAUSTED, details: 'too many streams of this host have not proved themselves' });
      return undefined;
    }
    this.#perHost.set(host, open + 1);
    const timer = setTimeout(() => {
      logger.warn({ host }, 'stream closed: its caller did not prove itself in time');
      stream.emit('error', { code: status.UNAUTHENTICATED, details: 'the stream did not prove itself in time' });
    }, this.#limits.timeoutMs);
    let isSettled = false;
    const settle = () => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      this.#release(host);
    };
    stream.once('close', settle);
    return settle;
  }

  #release(host: string): void {
    const stillOpen = (this.#perHost.get(host) ?? 1) - 1;
    if (stillOpen === 0) this.#perHost.delete(host);
    else this.#perHost.set(host, stillOpen);
  }
}

/** An estimate of a frame's size without its payload. */
const replyHeaderBytes = 64;

/** The result of a call as it goes on the wire. */
class ReplyFrame implements Sized {
  readonly n: number;
  readonly status: number;
  readonly details: string;
  readonly metadata: Headers;
  readonly payload: Uint8Array;

  constructor(n: number, { status, details, metadata, payload }: CallResult) {
    this.n = n;
    this.status = status;
    this.details = details;
    this.metadata = metadata;
    this.payload = payload;
  }

  get size(): number {
    return this.payload.length + replyHeaderBytes;
  }
}
