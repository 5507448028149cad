import { status } from '@grpc/grpc-js';
import { AppError } from '@webkiln/contract';
import type { Caller, Principal } from '@webkiln/messages';
import type { Method } from '../methods.ts';
import { isJson, JsonReply } from '../methods.ts';
import {
  type CallDurations,
  type CallResult,
  type DecodedReply,
  type Expiring,
  failedResult,
  forgetDeadline,
  type Headers,
  resultToError,
  watchDeadline,
} from '../wire.ts';

/** The content of one call. */
export interface CallRequest {
  readonly method: Method;
  readonly principal: Principal;
  readonly headers: Headers;
  readonly payload: Uint8Array;
  /** Epoch milliseconds. */
  readonly deadlineAt: number;
}

/** Receives the end of an attempt. Notifications after `Attempt.cancel` must be ignored. */
export interface AttemptObserver {
  onResult(result: CallResult): void;
  /** The connection is lost. `wasSent` is true if the replica may have started to run the call. */
  onLost(reason: string, wasSent: boolean): void;
}

/** One try of a call on one replica. */
export interface Attempt {
  /** Frees the attempt's resources and tells the replica that the caller no longer waits. */
  cancel(): void;
}

/** Shared by all calls of a method. */
export interface Route {
  readonly method: Method;
  readonly durations: CallDurations;
  readonly peer: AttemptSender;
}

/**
 * Sends an attempt to some replica. Returns undefined if the call was refused; the observer then has the result
 * already.
 */
export interface AttemptSender {
  send(request: CallRequest, observer: AttemptObserver): Attempt | undefined;
}

/**
 * One call from its request to its reply, over one or more attempts. Owns the deadline, the retry and the reply's
 * promise.
 */
export class OutgoingCall implements CallRequest, AttemptObserver, Expiring {
  readonly principal: Principal;
  readonly headers: Headers;
  readonly payload: Uint8Array;
  readonly deadlineAt: number;
  readonly #route: Route;
  readonly #startedAt = performance.now();
  readonly #reply = Promise.withResolvers<DecodedReply>();
  /** The attempt in flight. */
  #attempt: Attempt | undefined;
  #hasEnded = false;
  #wasRepeated = false;

  constructor(route: Route, { principal, deadlineAt }: Caller, headers: Headers, payload: Uint8Array) {
    this.#route = route;
    this.principal = principal;
    this.headers = headers;
    this.payload = payload;
    this.deadlineAt = deadlineAt;
  }

  get method(): Method {
    return this.#route.method;
  }

  /** Sends the call. Rejects with an `AppError`. */
  start(): Promise<DecodedReply> {
    if (!this.#hasEnded) {
      watchDeadline(this);
      this.#attempt = this.#route.peer.send(this, this);
    }
    return this.#reply.promise;
  }

  cancel(): void {
    this.#giveUp(status.CANCELLED, 'cancelled by the caller');
  }

  expire(): void {
    this.#giveUp(status.DEADLINE_EXCEEDED, 'no reply before the deadline');
  }

  onResult(result: CallResult): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#attempt = undefined;
    forgetDeadline(this);
    if (result.status === status.OK) this.#succeed(result);
    else this.#fail(resultToError(result, this.#route.method.name));
  }

  /** Tries another replica if no service has seen the call, or once more if the method is idempotent. */
  onLost(reason: string, wasSent: boolean): void {
    if (this.#hasEnded) return;
    if (wasSent && (this.#wasRepeated || !this.method.isIdempotent)) {
      this.onResult(failedResult(status.UNAVAILABLE, reason));
      return;
    }
    this.#wasRepeated ||= wasSent;
    this.#attempt = this.#route.peer.send(this, this);
  }

  #giveUp(code: number, reason: string): void {
    this.#attempt?.cancel();
    this.onResult(failedResult(code, reason));
  }

  #succeed({ payload, metadata }: CallResult): void {
    try {
      const reply = isJson(metadata) ? new JsonReply(payload, metadata) : this.method.decodeReply(payload as Buffer);
      this.#route.durations.observe('ok', this.#startedAt);
      this.#reply.resolve({ reply, replayed: metadata.replayed === '1' });
    } catch (error) {
      this.#fail(new AppError('internal', [], { cause: error }));
    }
  }

  #fail(error: AppError): void {
    this.#route.durations.observe(error.code, this.#startedAt);
    this.#reply.reject(error);
  }
}

const connectTimeoutMs = 2000;

/** Calls made while no replica is connected. Each waits up to 2 s, then fails as `unavailable`. */
export class ConnectQueue {
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
