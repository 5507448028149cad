import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import { hasBody } from '../api/read-body.ts';
import { endToEndHeaders } from './end-to-end-headers.ts';

interface ProxyExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Called if the upstream failed before it sent a response: the caller may retry or respond. */
  onFailure(error: Error): void;
}

/** Streams one request to an upstream server and its response back. Neither is ever buffered whole. */
export class ProxyHandler implements Dispatcher.DispatchHandler {
  readonly #exchange: ProxyExchange;
  #controller: Dispatcher.DispatchController | undefined;
  readonly #onClose = () => this.#controller?.abort(new Error('the client disconnected'));
  readonly #onDrain = () => this.#controller?.resume();

  constructor(exchange: ProxyExchange) {
    this.#exchange = exchange;
    exchange.response.on('close', this.#onClose).on('drain', this.#onDrain);
  }

  /** Throws if the request cannot be forwarded. */
  dispatch(pool: Pool, addedHeaders: Readonly<Record<string, string>>): void {
    const { request } = this.#exchange;
    const { method = 'GET', url: path = '/' } = request;
    const body = hasBody(request) ? request : null;
    const headers = Object.assign(endToEndHeaders(request.headers), addedHeaders);
    pool.dispatch({ path, method: method as Dispatcher.HttpMethod, headers, body }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#exchange.response.destroyed) this.#onClose();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: NodeJS.Dict<string | string[]>): void {
    if (status >= 200) this.#exchange.response.writeHead(status, endToEndHeaders(headers));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#exchange.response.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#detach();
    this.#exchange.response.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#detach();
    const { response } = this.#exchange;
    // A truncated response must not look complete.
    if (response.headersSent || response.destroyed) response.destroy();
    else this.#exchange.onFailure(error);
  }

  #detach(): void {
    this.#exchange.response.off('close', this.#onClose).off('drain', this.#onDrain);
  }
}
