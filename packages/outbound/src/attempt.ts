import type { Dispatcher } from 'undici';
import { failureReason } from './failure-reason.ts';
import type { OutboundAnswer } from './outbound-answer.ts';
import { ResponseStart } from './response-start.ts';

/**
 * One request from dispatch to result, in at most `timeoutMs`, connecting included. The status decides the result, even
 * if the body after it breaks off, never ends or stalls.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #settle: (answer: OutboundAnswer) => void;
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #begunAt = performance.now();
  readonly #body = new ResponseStart();
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #retryAfter: string | undefined;
  #settled = false;

  constructor(timeoutMs: number, settle: (answer: OutboundAnswer) => void) {
    this.#settle = settle;
    this.#timeoutMs = timeoutMs;
    this.#timer = setTimeout(giveUp, timeoutMs, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('nobody waits any more'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: NodeJS.Dict<string | string[]>): void {
    if (status < 200) return;
    this.#status = status;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#body.add(chunk)) return;
    this.#finish();
    controller.abort(new Error('the response is longer than needed'));
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#status > 0) this.#finish();
    else this.fail(failureReason(error));
  }

  /** Ends the attempt at its timeout. */
  expire(): void {
    const controller = this.#controller;
    const within = `within ${this.#timeoutMs / 1_000} s`;
    if (this.#status > 0) this.#finish();
    else this.#fail(controller ? `The receiver did not answer ${within}.` : `The receiver could not be connected to ${within}.`, true);
    controller?.abort(new Error('the time is up'));
  }

  fail(reason: string): void {
    this.#fail(reason, false);
  }

  /** The timeout is recorded here: a timer may fire a millisecond early, so the latency does not prove it. */
  #fail(reason: string, timedOut: boolean): void {
    this.#end({ outcome: 'failed', reason, latencyMs: this.#latencyMs(), ...(timedOut && { timedOut }) });
  }

  #finish(): void {
    this.#end({
      outcome: 'answered',
      status: this.#status,
      retryAfter: this.#retryAfter,
      response: this.#body.text(),
      latencyMs: this.#latencyMs(),
    });
  }

  #end(answer: OutboundAnswer): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#settle(answer);
  }

  #latencyMs(): number {
    return Math.round(performance.now() - this.#begunAt);
  }
}

const giveUp = (attempt: Attempt) => attempt.expire();
