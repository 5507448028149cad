import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { type AnsweredRequest, AppError } from '@webkiln/contract';
import { readBytes } from '@webkiln/http';
import type { Caller, Principal } from '@webkiln/messages';
import { histogram, logRequest } from '@webkiln/runtime';
import type { Credential } from '../admission/credential-cache.ts';
import type { RateLimitState } from '../admission/redis-limiter.ts';
import type { RequestLog } from './request-log.ts';

/** One API request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly startedAt: number;
  /** Name of the API operation (`createProject`), for logs and metrics. */
  operation: string;
  /** The client's network: an IPv4 /24 or an IPv6 /64. */
  network?: string;
  rateLimitState?: RateLimitState;
  /** Gives its slot back before its response ends. */
  releaseSlot?: () => void;
  /** Path template of the contract: `/projects/{projectId}`. */
  route?: string;
  /** Set once it is verified; a request without a credential has none. */
  credential?: Credential | undefined;
  /** Headers of a refusal, alternating names and values. */
  refusalHeaders?: readonly string[];
  /** What of the query was ignored or clamped. */
  parameterWarnings?: string | undefined;
  /** Why it failed on our side, for the log. */
  failure?: string;
  /** Error code of the response. */
  code?: string;
  /** The status for the log, where that of the response does not say it. */
  outcome?: number;
  /** The name that an agent's program gives itself. */
  agent?: string;
}

/** The caller of the RPC that serves an exchange, from now on. A client that disconnects cancels the call. */
export function callerOf(
  { request, response, requestId, network }: Exchange,
  principal: Principal,
  timeoutMs: number,
  ifMatch?: string,
): Caller {
  return {
    principal,
    requestId,
    deadlineAt: Date.now() + timeoutMs,
    ifMatch,
    traceparent: request.headers.traceparent as string | undefined,
    network,
    onCancel: (cancel) => onDisconnect(response, cancel),
  };
}

/** Calls `cancel` when the client disconnects, at once if it already has, so that no useless work starts. */
export function onDisconnect(response: ServerResponse, cancel: () => void): void {
  if (response.destroyed) cancel();
  else response.once('close', cancel);
}

/**
 * Returns the `onCancel` of calls that are made one after the other: the one in flight is cancelled when the client
 * disconnects.
 */
export function onDisconnectCancelLast(response: ServerResponse): (cancel: () => void) => void {
  let cancelLast: (() => void) | undefined;
  onDisconnect(response, () => cancelLast?.());
  return (cancel) => {
    cancelLast = cancel;
    if (response.destroyed) cancel();
  };
}

/** Limit of a JSON body unless the operation sets its own `bodyBytes`. */
const defaultMaxBytes = 1024 * 1024;

/** True if the request announces a body (RFC 9112 §6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/** Frees a chunk of a body at once: left to the garbage collector, megabytes of them cost more than to read them. */
export function freeChunk({ buffer, byteLength }: Buffer<ArrayBufferLike>): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}

const mediaTypeOf = ({ headers }: IncomingMessage) => headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();

/** True if the request says that its body is a zip. */
export const sendsZip = (request: IncomingMessage): boolean => mediaTypeOf(request) === 'application/zip';

/** What a PATCH takes (RFC 5789 §3.1). Its fields are plain values, so JSON Merge Patch (RFC 7396) says the same. */
export const acceptPatch = ['Accept-Patch', 'application/merge-patch+json, application/json'];

const isJson = (request: IncomingMessage, mediaType: string | undefined) =>
  mediaType === 'application/json' || (request.method === 'PATCH' && mediaType === 'application/merge-patch+json');

/**
 * Throws `content_type_unsupported` unless the body is plain JSON, or a zip where one is taken; a POST without a body
 * needs no type.
 */
export function assertMediaType(request: IncomingMessage, takesZip = false): void {
  const mediaType = mediaTypeOf(request);
  if (mediaType === undefined && request.method === 'POST' && !hasBody(request)) return;
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  // Compressed bodies are refused: a small one could unpack to a thousand times its size.
  if (encoding === 'identity' && (isJson(request, mediaType) || (takesZip && sendsZip(request)))) return;
  const types = takesZip ? [{ path: 'Content-Type', message: 'must be application/json or application/zip' }] : [];
  throw new AppError('content_type_unsupported', types);
}

/** True if the body exceeds the default limit or has no declared length. */
export const mayBeLarge = (request: IncomingMessage): boolean =>
  hasBody(request) && !(Number(request.headers['content-length']) <= defaultMaxBytes);

/** Throws `body_too_large` as soon as the limit is passed, `malformed_request` if it breaks off, `body_too_slow`. */
export async function readBody(request: IncomingMessage, maxBytes = defaultMaxBytes): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  const bytes = await readBytes(request, maxBytes).catch((error: unknown) => {
    throw error instanceof AppError ? error : new AppError('malformed_request', [], { cause: error });
  });
  if (bytes === undefined) throw new AppError('body_too_large');
  return bytes;
}

type Outcome = Pick<AnsweredRequest, 'method' | 'status' | 'duration_ms'>;

const duration = histogram({
  name: 'http_request_duration_seconds',
  help: 'Requests under /api/v1 by operation and status',
  labelNames: ['operation', 'status'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});
const histograms = new Map<string, { observe(seconds: number): void }>();

/**
 * Records a closed exchange in the metrics, the process log and the organization's request log. Status 499: the
 * caller disconnected early.
 */
export function recordRequest(exchange: Exchange, requestLog: RequestLog): void {
  const { request, response, requestId, operation, startedAt, credential } = exchange;
  const ms = Math.round((performance.now() - startedAt) * 10) / 10;
  const status = response.writableFinished ? (exchange.outcome ?? response.statusCode) : 499;
  observe(operation, status, ms);
  const { method = '' } = request;
  logRequest({
    request_id: requestId,
    operation,
    method,
    status,
    ms,
    credential_id: credential?.principal.credential_id,
    org_id: credential?.principal.org_id,
    ...(status < 500 ? {} : { code: exchange.code, failure: exchange.failure }),
  });
  const entry = requestLogEntry(exchange, { method, status, duration_ms: ms });
  if (entry !== undefined) requestLog.record(entry);
}

function observe(operation: string, status: number, ms: number): void {
  const name = `${operation} ${status}`;
  let child = histograms.get(name);
  if (child === undefined) {
    child = duration.labels({ operation, status: String(status) });
    histograms.set(name, child);
  }
  child.observe(ms / 1000);
}

/**
 * Undefined without an organization. For privacy an entry never holds query, body or headers, except the request id.
 */
function requestLogEntry({ credential, requestId, route, code, agent, network }: Exchange, outcome: Outcome): AnsweredRequest | undefined {
  const principal = credential?.principal;
  if (principal === undefined || principal.org_id === '') return undefined;
  const { org_id, kind, credential_id, account_id } = principal;
  const source =
    kind === 'session'
      ? ({ kind, credential: account_id ?? credential_id } as const)
      : ({ kind: kind === 'oauth_token' || kind === 'embed_token' ? kind : 'api_key', credential: credential_id } as const);
  return { org_id, request_id: requestId, at: Date.now(), ...source, ...outcome, route, code, agent: agent ?? principal.agent, network };
}

/**
 * A UUID that begins with its time (RFC 9562 §5.7, version 7). The index of the request log takes ids in their order at
 * half the cost of random ones.
 */
export function newRequestId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

const requestIdPattern = /^[\w.:+/=-]{1,128}$/;

/** An exchange that begins, with the id that the caller gives it, if it is one; `query` is without its "?". */
export function beginExchange(request: IncomingMessage, response: ServerResponse): Exchange & { path: string; query: string } {
  const sent = request.headers['x-request-id'];
  const requestId = typeof sent === 'string' && requestIdPattern.test(sent) ? sent : newRequestId();
  const url = request.url ?? '/';
  const queryStart = url.indexOf('?');
  const path = queryStart === -1 ? url : url.slice(0, queryStart);
  const query = queryStart === -1 ? '' : url.slice(queryStart + 1);
  return { request, response, requestId, startedAt: performance.now(), operation: 'unknown', path, query };
}

/** The parameters of a query. Of a repeated one the last value counts. */
export const lastValues = (query: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(parseQuery(query)).map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value]));
