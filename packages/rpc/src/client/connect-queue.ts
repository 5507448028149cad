import { status } from '@grpc/grpc-js';
import type { Attempt, AttemptObserver, CallRequest } from '../attempt.ts';
import { failedResult } from '../call-result.ts';
import { type Expiring, forgetDeadline, watchDeadline } from '../deadlines.ts';
import type { AttemptSender } from './outgoing-call.ts';

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
