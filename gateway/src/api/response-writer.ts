import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, type ErrorCode } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import type { UnsentBytes } from '../admission/bounds.ts';
import type { RateLimitState } from '../admission/redis-limiter.ts';
import { securityHeaders } from '../security-headers.ts';
import type { Exchange } from './exchange.ts';

interface Options {
  /** The platform's public address. */
  readonly origin: string;
  readonly windowMs: number;
  readonly deprecatedAt?: string | undefined;
  readonly sunsetAt?: string | undefined;
  readonly unsent: UnsentBytes;
  readonly clientAddress: (request: IncomingMessage) => string;
  /** Pages of other origins may not read the responses. */
  readonly forServersOnly?: true;
}

/** What pages of other origins may read of a response. */
export const exposed =
  'RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, ETag, Link, X-Request-Id, X-Total-Count, X-Parameter-Warnings, Idempotent-Replayed, Accept-Patch, Mcp-Session-Id, WWW-Authenticate';

const sendable = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id, traceparent';
export const preflightHeaders = [
  ...['Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE, OPTIONS', 'Access-Control-Allow-Headers', sendable],
  ...['Access-Control-Max-Age', '86400'],
];

const maxCopiedBytes = 8192;

/** Writes the API's responses. Headers that never change are computed once, in the constructor. */
export class ResponseWriter {
  readonly #static: readonly string[];
  readonly #origin: string;
  /** Leads an OAuth client to where it gets a token (RFC 9728 §5.1). */
  readonly #challenge: string;
  readonly #windowSeconds: number;
  readonly #unsent: UnsentBytes;
  readonly #clientAddress: Options['clientAddress'];

  constructor(options: Options) {
    this.#challenge = `Bearer realm="webkiln", resource_metadata="${options.origin}/.well-known/oauth-protected-resource/api/v1"`;
    this.#origin = options.origin;
    this.#unsent = options.unsent;
    this.#clientAddress = options.clientAddress;
    this.#windowSeconds = seconds(options.windowMs);
    this.#static = [
      ...securityHeaders(),
      ...(options.forServersOnly === true ? [] : ['Access-Control-Allow-Origin', '*']),
      ...['Cache-Control', 'no-store'],
      ...(options.deprecatedAt === undefined ? [] : ['Deprecation', `@${Math.floor(Date.parse(options.deprecatedAt) / 1000)}`]),
      ...(options.sunsetAt === undefined ? [] : ['Sunset', new Date(options.sunsetAt).toUTCString()]),
    ];
  }

  /** Sends `body`, which is JSON text already. */
  json(exchange: Exchange, status: number, body: string | Buffer, headers: readonly string[] = []): void {
    this.send(exchange, status, body, ['Content-Type', 'application/json; charset=utf-8', ...headers]);
  }

  /** Sends any body. `fixed` replaces the API's static headers. */
  send(exchange: Exchange, status: number, body: string | Uint8Array | undefined, headers: readonly string[], fixed = this.#static): void {
    const { request, response } = exchange;
    if (response.headersSent || response.destroyed) return;
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
    // What a write shows is sent in any case: its effect has happened.
    if (request.method === 'GET' && !this.#mayWait(exchange, bytes)) return void this.error(exchange, new AppError('too_many_unread'));
    const length = body === undefined ? [] : ['Content-Length', String(bytes)];
    this.begin(exchange, status, [...headers, ...length], fixed);
    // As text of a byte a character, node sends head and body in one write. Of longer bodies the copy costs more.
    if (body instanceof Buffer && bytes < maxCopiedBytes) response.end(body.toString('latin1'), 'latin1');
    else response.end(body);
  }

  /** False if the caller has too many unread bytes already. */
  #mayWait({ request, response, credential }: Exchange, bytes: number): boolean {
    const network = () => this.#clientAddress(request);
    return this.#unsent.add(response, bytes, credential?.principal.credential_id ?? '', network);
  }

  /** Writes status and headers; the caller writes the body. */
  begin(
    { request, response, requestId, rateLimitState, parameterWarnings }: Exchange,
    status: number,
    headers: readonly string[],
    fixed = this.#static,
  ): void {
    const all = [...fixed, 'X-Request-Id', requestId, ...headers];
    if (request.headers.origin !== undefined) all.push('Access-Control-Expose-Headers', exposed);
    if (parameterWarnings !== undefined) all.push('X-Parameter-Warnings', parameterWarnings);
    if (rateLimitState !== undefined) all.push(...this.rateLimitHeaders(rateLimitState));
    response.writeHead(status, all);
  }

  /** Alternating names and values. */
  rateLimitHeaders(state: RateLimitState): string[] {
    return rateLimitHeaders(state, this.#windowSeconds);
  }

  /** Sends the error body. Anything but an AppError becomes `internal`: its cause is logged and never shown. */
  error(exchange: Exchange, error: unknown): void {
    const shown = error instanceof AppError ? error : new AppError('internal', [], { cause: error });
    exchange.code = shown.code;
    if (shown.cause instanceof Error) exchange.failure = shown.cause.message;
    if (shown.code === 'internal')
      logger.error({ err: error, request_id: exchange.requestId, operation: exchange.operation }, 'request failed');
    const extra = ['Link', `<${this.#origin}/docs/errors#${shown.code}>; rel="help"`, ...(exchange.refusalHeaders ?? [])];
    if (shown.replayed) extra.push('Idempotent-Replayed', 'true');
    if (shown.status === 429) extra.push('Retry-After', String(retryAfter(shown.code, exchange.rateLimitState)));
    if (shown.status === 503) extra.push('Retry-After', '1');
    if (shown.status === 401) extra.push('WWW-Authenticate', this.#challenge);
    this.json(exchange, shown.status, errorBody(shown, exchange.requestId), extra);
  }
}

/** JSON body of every error response: `error` is for people, the other fields are for programs. */
export function errorBody(error: AppError, requestId: string): string {
  return JSON.stringify({
    error: error.message,
    code: error.code,
    ...(error.details.length > 0 ? { details: error.details } : {}),
    request_id: requestId,
  });
}

/** Sends the API's error body, for requests outside /api/v1. */
export function refuse(response: ServerResponse, error: AppError): void {
  const body = errorBody(error, randomUUID());
  if (response.headersSent || response.destroyed) return;
  const retry = error.code === 'too_many_in_flight' ? '1' : secondsToWait[error.status];
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    ...(retry !== undefined && { 'Retry-After': retry }),
  };
  response.writeHead(error.status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

/** Retry-After in seconds, by status. */
const secondsToWait: Readonly<Record<number, string>> = { 429: '60', 503: '2' };

const dayMs = 86_400_000;
/** Refusals that end at 00:00 UTC. */
const untilMidnight: ReadonlySet<ErrorCode> = new Set(['daily_messages_reached', 'too_many_renames']);

/** Whole seconds, for headers. */
const seconds = (ms: number) => Math.ceil(ms / 1000);

/** Alternating names and values. */
function rateLimitHeaders(state: RateLimitState, windowSeconds: number): string[] {
  const limit = String(state.limit);
  const reset = String(seconds(state.resetMs));
  const remaining = String(Math.max(0, state.remaining));
  return [
    ...['RateLimit-Policy', `"v1";q=${limit};w=${windowSeconds}`, 'RateLimit', `"v1";r=${remaining};t=${reset}`],
    ...['X-RateLimit-Limit', limit, 'X-RateLimit-Remaining', remaining, 'X-RateLimit-Reset', reset],
  ];
}

/** Seconds after a 429 until the next request may pass. */
export function retryAfter(code: ErrorCode, state: RateLimitState | undefined): number {
  if (code === 'rate_limited') return seconds(state?.resetMs ?? 1000);
  return untilMidnight.has(code) ? seconds(dayMs - (Date.now() % dayMs)) : 1;
}
