import type { Idempotency, IncomingCaller, Principal } from './caller.ts';
import { type Expiring, forgetDeadline, watchDeadline } from './deadlines.ts';
import type { Headers } from './outcome.ts';

/** Whether anybody still waits for an answer: until the deadline passes or the caller goes away. */
export class Waiting implements Expiring {
  readonly deadlineAt: number;
  /** Nobody waits any more. */
  over = false;
  #controller: AbortController | undefined;
  #hooks: (() => void)[] | undefined;

  constructor(deadlineAt: number) {
    this.deadlineAt = deadlineAt;
    watchDeadline(this);
  }

  /** Made when it is first asked for: most handlers never do. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.over) this.#controller.abort();
    return this.#controller.signal;
  }

  onCancel(hook: () => void): void {
    this.#hooks ??= [];
    if (this.over) hook();
    else this.#hooks.push(hook);
  }

  /** The answer is there: there is nothing more to give up. */
  answered(): void {
    forgetDeadline(this);
  }

  cancel(): void {
    if (this.over) return;
    this.over = true;
    forgetDeadline(this);
    this.#controller?.abort();
    for (const hook of this.#hooks ?? []) hook();
  }

  expire(): void {
    this.cancel();
  }
}

function idempotencyIn(headers: Headers): Idempotency | undefined {
  const id = headers['idempotency-id'];
  if (id === undefined) return undefined;
  return { id, body: headers['idempotency-body'] ?? '', explicit: headers['idempotency-explicit'] === '1' };
}

/** A caller as it came over the wire. */
export class Incoming implements IncomingCaller {
  readonly principal: Principal;
  readonly requestId: string;
  readonly deadlineAt: number;
  readonly idempotency: Idempotency | undefined;
  readonly ifMatch: string | undefined;
  readonly traceparent: string | undefined;
  readonly #waiting: Waiting;

  constructor(principal: Principal, headers: Headers, waiting: Waiting) {
    this.principal = principal;
    this.requestId = headers['request-id'] ?? '';
    this.deadlineAt = waiting.deadlineAt;
    this.idempotency = idempotencyIn(headers);
    this.ifMatch = headers['if-match'];
    this.traceparent = headers.traceparent;
    this.#waiting = waiting;
  }

  get signal(): AbortSignal {
    return this.#waiting.signal;
  }

  onCancel(cancel: () => void): void {
    this.#waiting.onCancel(cancel);
  }
}
