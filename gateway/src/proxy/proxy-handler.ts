import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import { endToEndHeaders } from './end-to-end-headers.ts';
import { hasBody } from './read-body.ts';

interface Ends {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Nothing was answered and nothing will be: takes the request over. */
  failed(error: Error): void;
}

/** One request on its way through to a server behind us, and its answer on the way back: neither is ever held as a whole. */
export class Passage implements Dispatcher.DispatchHandler {
  readonly #ends: Ends;
  #controller: Dispatcher.DispatchController | undefined;
  readonly #gone = () => this.#controller?.abort(new Error('the caller has gone away'));
  readonly #drained = () => this.#controller?.resume();

  constructor(ends: Ends) {
    this.#ends = ends;
    ends.response.on('close', this.#gone).on('drain', this.#drained);
  }

  /** `told` is what the server behind us hears from us, as headers. Throws when the request is none that can be passed on. */
  through(pool: Pool, told: Readonly<Record<string, string>>): void {
    const { request } = this.#ends;
    const { method = 'GET', url: path = '/' } = request;
    const body = hasBody(request) ? request : null;
    const headers = Object.assign(endToEndHeaders(request.headers), told);
    pool.dispatch({ path, method: method as Dispatcher.HttpMethod, headers, body }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ends.response.destroyed) this.#gone();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: NodeJS.Dict<string | string[]>): void {
    if (status >= 200) this.#ends.response.writeHead(status, endToEndHeaders(headers));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#ends.response.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#letGo();
    this.#ends.response.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#letGo();
    const { response } = this.#ends;
    // A half answer must not look like a whole one.
    if (response.headersSent || response.destroyed) response.destroy();
    else this.#ends.failed(error);
  }

  #letGo(): void {
    this.#ends.response.off('close', this.#gone).off('drain', this.#drained);
  }
}
