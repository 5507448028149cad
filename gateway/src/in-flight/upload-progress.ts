import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '@webkiln/contract';
import { countRefusal } from './metrics.ts';

interface Upload {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly refuse: (error: AppError) => void;
  bytesRead: number;
  checkAt: number;
}

interface Options {
  /** How long a body may make too little progress. */
  readonly stallTimeoutMs: number;
  readonly minBytesPerSecond: number;
}

/** Parts of `stallTimeoutMs` after which all uploads are looked at. */
const looksPerTimeout = 4;

/**
 * Ends requests whose body arrives too slowly. The limit is progress, not total time: while nobody reads a body, or
 * its reader is behind, the client is not to blame.
 */
export class UploadProgress {
  readonly #options: Options;
  readonly #uploads = new Set<Upload>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: Options) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), options.stallTimeoutMs / looksPerTimeout).unref();
  }

  /** Watches a body until it has arrived. Its reader gets `body_too_slow` as an error; without one, `refuse` does. */
  watch(request: IncomingMessage, response: ServerResponse, refuse: (error: AppError) => void): void {
    const { socket } = request;
    const upload = { request, socket, refuse, bytesRead: socket.bytesRead, checkAt: performance.now() + this.#options.stallTimeoutMs };
    this.#uploads.add(upload);
    const forget = () => this.#uploads.delete(upload);
    request.once('end', forget);
    response.once('close', forget);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    for (const upload of this.#uploads) if (now >= upload.checkAt) this.#check(upload, now);
  }

  #check(upload: Upload, now: number): void {
    const { stallTimeoutMs, minBytesPerSecond } = this.#options;
    const { request, socket, bytesRead } = upload;
    const isOurTurn = request.readableFlowing !== true || request.readableLength > 0;
    upload.checkAt = now + stallTimeoutMs;
    upload.bytesRead = socket.bytesRead;
    if (isOurTurn || socket.bytesRead - bytesRead >= (minBytesPerSecond * stallTimeoutMs) / 1000) return;
    this.#uploads.delete(upload);
    countRefusal('upload progress', 'body_too_slow');
    const error = new AppError('body_too_slow');
    if (request.listenerCount('error') > 0) request.emit('error', error);
    else upload.refuse(error);
  }
}
