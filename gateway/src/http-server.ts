import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '@webkiln/contract';
import { hasBody } from './api/read-body.ts';
import { errorBody } from './api/response-writer.ts';

/** Generous, since a slow machine may pause between connecting and sending. */
const headersTimeoutMs = 30_000;
const requestTimeoutMs = 60_000;
const keepAliveTimeoutMs = 65_000;
const lingerMs = 2000;

/** Creates an HTTP server with limits for slow clients. Parse errors get the API's error body, too. */
export function createHttpServer(handle: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: 5000,
      requireHostHeader: false, // Node's own 400 has no body.
    },
    (request, response) => {
      if (hasBody(request)) cutOffAfterResponse(request, response);
      if (hasHost(request)) handle(request, response);
      else refuse(response, new AppError('malformed_request'));
    },
  );
  server.on('checkExpectation', (_request, response) => refuse(response, new AppError('malformed_request')));
  server.on('connect', (_request, socket) => endWith('400 Bad Request', socket));
  server.on('clientError', refuseMalformed);
  return server;
}

/** After an early response the client gets two seconds to read it before the unread request body is cut off. */
function cutOffAfterResponse(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (!request.complete) setTimeout(() => request.complete || request.destroy(), lingerMs).unref();
  });
}

/** HTTP/1.1 requires Host (RFC 9112 §3.2). */
const hasHost = ({ headers, httpVersion }: IncomingMessage) => headers.host !== undefined || httpVersion === '1.0';

function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  if (error.code === 'HPE_HEADER_OVERFLOW') endWith('431 Request Header Fields Too Large', socket);
  else endWith(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request', socket);
}

/** Writes an error to a socket that has no response object. */
function endWith(status: string, socket: Duplex): void {
  const body = errorBody(new AppError('malformed_request'), randomUUID());
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Sends the API's error body, for requests outside /api/v1. */
export function refuse(response: ServerResponse, error: AppError): void {
  const body = errorBody(error, randomUUID());
  const retry = retryAfter[error.status];
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
