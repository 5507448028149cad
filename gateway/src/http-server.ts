import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorCode } from '@webkiln/contract';
import { hasBody } from './api/read-body.ts';
import { errorBody } from './api/response-writer.ts';
import { type ConnectionLimits, limitConnections } from './in-flight/connection-limits.ts';
import { countRefusal } from './in-flight/metrics.ts';
import { UploadProgress } from './in-flight/upload-progress.ts';

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
      if (request.socket.writableEnded) return; // A connection too many has its answer.
      answering.set(request.socket, response);
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

/** Sends the API's error body, for requests outside /api/v1. */
export function refuse(response: ServerResponse, error: AppError): void {
  const body = errorBody(error, randomUUID());
  if (response.headersSent || response.destroyed) return;
  const retry = error.code === 'too_many_in_flight' ? '1' : retryAfter[error.status];
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    ...(retry !== undefined && { 'Retry-After': retry }),
  };
  response.writeHead(error.status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

/** Retry-After in seconds, by status. */
const retryAfter: Readonly<Record<number, string>> = { 429: '60', 503: '2' };
