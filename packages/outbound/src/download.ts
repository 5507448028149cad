import type { Dispatcher } from 'undici';
import { failureReason } from './attempt.ts';

/** The result of a GET: only a response that arrived whole is `answered`. */
export type DownloadAnswer =
  | { readonly outcome: 'answered'; readonly status: number; readonly body: string }
  | { readonly outcome: 'failed'; readonly reason: string };

/** One GET from dispatch to the end of a small response, in at most `timeoutMs`, connecting included. */
export class Download implements Dispatcher.DispatchHandler {
  readonly #settle: (answer: DownloadAnswer) => void;
  readonly #maxBytes: number;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #settled = false;
  #controller: Dispatcher.DispatchController | undefined;

  constructor({ timeoutMs, maxBytes }: { timeoutMs: number; maxBytes: number }, settle: (answer: DownloadAnswer) => void) {
    this.#settle = settle;
    this.#maxBytes = maxBytes;
    this.#timer = setTimeout(() => this.#abort(`The server did not answer within ${timeoutMs / 1000} s.`), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('nobody waits any more'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (status >= 200) this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#abort(`The answer is longer than ${this.#maxBytes} bytes.`);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end({ outcome: 'answered', status: this.#status, body: Buffer.concat(this.#chunks).toString() });
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.fail(failureReason(error));
  }

  fail(reason: string): void {
    this.#end({ outcome: 'failed', reason });
  }

  #abort(reason: string): void {
    this.fail(reason);
    this.#controller?.abort(new Error(reason));
  }

  #end(answer: DownloadAnswer): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#settle(answer);
  }
}
