import { status } from '@grpc/grpc-js';
import type { AppError } from '@webkiln/contract';
import type { Caller, Principal } from './caller.ts';
import { type Expiring, forgetDeadline, watchDeadline } from './deadlines.ts';
import type { CallTimes } from './metrics.ts';
import { type AnyReply, errorOf, failure, type Headers, type Outcome } from './outcome.ts';
import type { Method } from './protos.ts';
import type { Sized } from './turn-batches.ts';

/** What all calls of a method share. */
export interface Route {
  readonly method: Method;
  readonly times: CallTimes;
  /** Finds a replica for a call, now or soon. */
  send(call: OutgoingCall): void;
}

/** Who has a call in hand, to be told when it ends and when nobody waits for it any more. */
export interface Carrying {
  ended(call: OutgoingCall): void;
  abandon(call: OutgoingCall): void;
}

const headerBytes = 512;

/** One call from its request to its end, over whichever replicas it goes. */
export class OutgoingCall implements Expiring, Sized {
  readonly route: Route;
  readonly principal: Principal;
  readonly payload: Uint8Array;
  readonly deadlineAt: number;
  /** Rejects with an `AppError`. */
  readonly reply: Promise<AnyReply>;
  readonly headers: Headers;
  over = false;
  /** Its number on the stream that carries it. */
  n = 0;
  /** Whether a service may have begun with it. */
  sent = false;
  carrying: Carrying | undefined;
  #repeated = false;
  readonly #startedAt = performance.now();
  readonly #resolve: (reply: AnyReply) => void;
  readonly #reject: (error: AppError) => void;

  constructor(route: Route, { principal, deadlineAt }: Caller, headers: Headers, payload: Uint8Array) {
    const { promise, resolve, reject } = Promise.withResolvers<AnyReply>();
    this.route = route;
    this.principal = principal;
    this.headers = headers;
    this.payload = payload;
    this.deadlineAt = deadlineAt;
    this.reply = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    watchDeadline(this);
  }

  get size(): number {
    return this.payload.length + headerBytes;
  }

  end(outcome: Outcome): void {
    if (this.over) return;
    this.#close();
    if (outcome.status === status.OK) this.#succeed(outcome);
    else this.#refuse(errorOf(outcome));
  }

  /** Its replica is gone. It goes to another one if no service has it, or if the method may be repeated: then once. */
  lost(reason: string): void {
    if (this.over) return;
    if (this.sent && (this.#repeated || !this.route.method.repeatable)) {
      this.end(failure(status.UNAVAILABLE, reason));
    } else {
      this.#repeated ||= this.sent;
      this.sent = false;
      this.#letGo();
      this.route.send(this);
    }
  }

  cancel(): void {
    this.#giveUp(status.CANCELLED, 'the caller gave up');
  }

  expire(): void {
    this.#giveUp(status.DEADLINE_EXCEEDED, 'no answer within the deadline');
  }

  #giveUp(code: number, reason: string): void {
    if (this.over) return;
    this.carrying?.abandon(this);
    this.end(failure(code, reason));
  }

  #succeed({ payload, metadata }: Outcome): void {
    try {
      const reply = this.route.method.decodeReply(payload as Buffer);
      this.route.times.observe('ok', this.#startedAt);
      this.#resolve({ reply, replayed: metadata.replayed === '1' });
    } catch (error) {
      this.#refuse(errorOf(failure(status.INTERNAL, `an unreadable reply: ${String(error)}`)));
    }
  }

  #refuse(error: AppError): void {
    this.route.times.observe(error.code, this.#startedAt);
    this.#reject(error);
  }

  #close(): void {
    this.over = true;
    forgetDeadline(this);
    this.#letGo();
  }

  #letGo(): void {
    this.carrying?.ended(this);
    this.carrying = undefined;
  }
}
