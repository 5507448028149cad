import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorCode } from '@webkiln/contract';
import { clientNetwork } from '@webkiln/http';
import { countRefusal, KeyedCount } from './admission/bounds.ts';
import { freeChunk, hasBody } from './api/exchange.ts';
import { errorBody, refuse } from './api/response-writer.ts';

interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerNetwork: number;
  /** Such a connection carries many clients' requests. */
  readonly isTrustedProxy: (address: string) => boolean;
}

interface ServerLimits extends ConnectionLimits {
  /** How long a client may send or read too little. */
  readonly stallTimeoutMs: number;
  readonly minBytesPerSecond: number;
  /** How long a whole request may take to arrive. */
  readonly uploadTimeoutMs: number;
}

/** Generous, since a slow machine may pause between connecting and sending. */
const headersTimeoutMs = 30_000;
const keepAliveTimeoutMs = 65_000;
const lingerMs = 2000;

/** Creates an HTTP server with limits for slow clients. Parse errors get the API's error body, too. */
export function createHttpServer(handle: RequestListener, limits: ServerLimits): Server {
  const { stallTimeoutMs, uploadTimeoutMs } = limits;
  const uploads = new UploadProgress(limits);
  const answering = new WeakMap<Socket, ServerResponse>();
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: Math.max(headersTimeoutMs, uploadTimeoutMs),
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: 5000,
      requireHostHeader: false, // Node's own 400 has no body.
    },
    (request, response) => {
      const { socket } = request;
      if (socket.writableEnded) return; // A connection too many has its answer.
      answering.set(socket, response);
      // A connection that waits would keep its last request and response.
      response.once('close', () => answering.get(socket) === response && answering.delete(socket));
      if (hasBody(request)) {
        cutOffAfterResponse(request, response);
        uploads.watch(request, response, (error) => refuse(response, error));
      }
      if (hasHost(request)) handle(request, response);
      else refuse(response, new AppError('malformed_request'));
    },
  );
  server.on('checkExpectation', (_request, response) => refuse(response, new AppError('malformed_request')));
  server.on('connect', (_request, socket) => endWith('400 Bad Request', socket));
  server.on('clientError', refuseMalformed);
  server.on('close', () => uploads.close());
  server.setTimeout(stallTimeoutMs, (socket) => endIdle(socket, answering.get(socket)));
  limitConnections(server, limits, (socket) => {
    endWith('429 Too Many Requests', socket, 'too_many_in_flight');
    setTimeout(() => socket.destroy(), lingerMs).unref();
  });
  return server;
}

/** After an early response the client gets two seconds to read it before the unread request body is cut off. */
function cutOffAfterResponse(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  response.prependOnceListener('finish', () => {
    if (request.complete) return;
    if (request.listenerCount('data') + request.listenerCount('readable') === 0) request.on('data', freeChunk);
    // Node closes a connection that is not kept at once, and unread bytes turn that into a reset (RFC 9112 §9.6).
    socket.destroySoon = () => void socket.end();
    setTimeout(() => request.complete || request.destroy(), lingerMs).unref();
  });
}

/** HTTP/1.1 requires Host (RFC 9112 §3.2). */
const hasHost = ({ headers, httpVersion }: IncomingMessage) => headers.host !== undefined || httpVersion === '1.0';

function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  if (error.code === 'HPE_HEADER_OVERFLOW') endWith('431 Request Header Fields Too Large', socket);
  else endWith(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request', socket);
}

/** Closes a connection on which nothing moves, unless it is our turn: a request that is being worked on. */
function endIdle(socket: Socket, response: ServerResponse | undefined): void {
  const isBusy = response !== undefined && !response.writableFinished && !response.destroyed;
  if (isBusy && response.writableLength === 0) return;
  if (isBusy) countRefusal('response progress', 'too_many_unread');
  socket.destroy();
}

/** Writes an error to a socket that has no response object. */
function endWith(status: string, socket: Duplex, code: ErrorCode = 'malformed_request'): void {
  const body = errorBody(new AppError(code), randomUUID());
  const headers = ['Content-Type: application/json; charset=utf-8', `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close'];
  if (code === 'too_many_in_flight') headers.push('Retry-After: 1');
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
}

/** Bounds the server's open connections, in all and per client network; `refuse` answers and ends one too many. */
function limitConnections(server: Server, limits: ConnectionLimits, refuse: (socket: Socket) => void): void {
  const { maxConnections, maxConnectionsPerNetwork, isTrustedProxy } = limits;
  const connections = new KeyedCount(maxConnectionsPerNetwork);
  server.maxConnections = maxConnections;
  server.on('drop', () => countRefusal('connections', 'overloaded'));
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isTrustedProxy(address)) return;
    const network = clientNetwork(address);
    if (connections.add(network, 1)) return void socket.once('close', () => connections.remove(network, 1));
    countRefusal('connections of a network', 'too_many_in_flight');
    refuse(socket);
  });
}

interface Upload {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly refuse: (error: AppError) => void;
  bytesRead: number;
  checkAt: number;
}

interface ProgressOptions {
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
class UploadProgress {
  readonly #options: ProgressOptions;
  readonly #uploads = new Set<Upload>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: ProgressOptions) {
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
