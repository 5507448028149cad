import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '@webkiln/contract';
import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import express from 'express';
import { problem } from './answer.ts';
import type { Api } from './api.ts';
import type { Dashboard } from './dashboard.ts';
import type { pages } from './pages.ts';
import { hasBody } from './read-body.ts';

/** A machine that is slow, or a caller's, may take its time between the connection and the request. */
const headersTimeoutMs = 30_000;
const requestTimeoutMs = 60_000;
const keepAliveTimeoutMs = 65_000;
const readAnswerMs = 2000;

interface Parts {
  readonly api: Api;
  readonly signIn: RequestHandler;
  readonly pages: ReturnType<typeof pages>;
  readonly dashboard: Dashboard;
}

/** The edge: Express around the API, the plain pages and the dashboard. */
export function createApp({ api, signIn, pages, dashboard }: Parts): Express {
  const app = express().disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.use('/api/v1', api.handle);
  app.use('/api/auth', signIn);
  app.use(pages);
  app.use((request, response, next) => dashboard.answer(request, response) || next(new AppError('route_not_found')));
  app.use(onError);
  return app;
}

/** Express' own refusals (a malformed URL, a form too large) in the envelope of every other error. */
const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  if (response.headersSent) return void response.destroy();
  if (error instanceof AppError) refuse(response, error);
  else refuse(response, new AppError(isBadRequest(error) ? 'malformed_request' : 'internal', [], { cause: error }));
};

/** The envelope of an error, outside of the API. */
export function refuse(response: ServerResponse, error: AppError): void {
  const body = problem(error, randomUUID());
  const retry = retryAfter[error.status];
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    ...(retry !== undefined && { 'Retry-After': retry }),
  };
  response.writeHead(error.status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

/** Seconds, by status. */
const retryAfter: Readonly<Record<number, string>> = { 429: '60', 503: '2' };

const isBadRequest = (error: unknown) => typeof error === 'object' && error !== null && 'status' in error && Number(error.status) < 500;

/** An HTTP server that slow or broken clients cannot hold up; parse errors get the envelope too. */
export function createHttpServer(handle: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: 5000,
      requireHostHeader: false, // Node's own refusal has no body
    },
    (request, response) => {
      if (hasBody(request)) cutOffAfterAnswer(request, response);
      if (namesHost(request)) handle(request, response);
      else refuse(response, new AppError('malformed_request'));
    },
  );
  server.on('checkExpectation', (_request, response) => refuse(response, new AppError('malformed_request')));
  server.on('connect', (_request, socket) => endWith('400 Bad Request', socket));
  server.on('clientError', refuseMalformed);
  return server;
}

/** A refused body need not come to its end: its sender gets time to read the answer, and is then not listened to any more. */
function cutOffAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (!request.complete) setTimeout(() => request.complete || request.destroy(), readAnswerMs).unref();
  });
}

/** RFC 9112 §3.2 */
const namesHost = ({ headers, httpVersion }: IncomingMessage) => headers.host !== undefined || httpVersion === '1.0';

function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  if (error.code === 'HPE_HEADER_OVERFLOW') endWith('431 Request Header Fields Too Large', socket);
  else endWith(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request', socket);
}

/** The envelope, where there is no response to write it to. */
function endWith(status: string, socket: Duplex): void {
  const body = problem(new AppError('malformed_request'), randomUUID());
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
