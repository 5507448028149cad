import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ParsedUrlQuery, parse as parseQuery } from 'node:querystring';
import { AppError } from '@webkiln/contract';
import { tracing, withSpan } from '@webkiln/runtime';
import type { Admission } from '../credentials/admission.ts';
import type { CredentialCache } from '../credentials/credential-cache.ts';
import { holdSlot } from '../in-flight/hold-slot.ts';
import type { RequestSlots } from '../in-flight/request-slots.ts';
import type { WritePace } from '../in-flight/write-pace.ts';
import type { Docs } from '../pages/docs.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import type { Exchange } from './exchange.ts';
import { recordRequest } from './record-request.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { Routes } from './routes.ts';
import type { Query, RunOperation } from './run-operation.ts';

interface Parts {
  readonly routes: Routes;
  readonly responses: ResponseWriter;
  readonly admission: Admission;
  readonly sessions: CredentialCache;
  readonly docs: Docs;
  readonly run: RunOperation;
  /** Requests in flight, by credential. */
  readonly slots: RequestSlots;
  readonly writePace: WritePace;
  readonly requestLog: RequestLog;
}

const requestIdPattern = /^[\w.:+/=-]{1,128}$/;
const preflightHeaders = [
  ...['Access-Control-Allow-Methods', 'GET, POST, PATCH, DELETE, OPTIONS'],
  ...[
    'Access-Control-Allow-Headers',
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id, traceparent',
  ],
  ...['Access-Control-Max-Age', '86400'],
];

/** Serves /api/v1. Checks run in a fixed order, so errors take precedence as 401, 429, 403, 415, 400, 404. */
export class Api {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Express handler, mounted on /api/v1: `request.url` is relative to it. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const exchange = begin(request, response);
    response.once('close', () => recordRequest(exchange, this.#parts.requestLog));
    const served = tracing.enabled ? this.#traced(exchange) : this.#serve(exchange);
    served.catch((error: unknown) => this.#parts.responses.error(exchange, error));
  };

  #traced(exchange: Exchange): Promise<void> {
    const { method, headers } = exchange.request;
    return withSpan(
      `${method} /api/v1`,
      { kind: 'server', attributes: { 'http.request.method': method ?? '' }, parent: headers.traceparent as string | undefined },
      () => this.#serve(exchange),
    );
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    const { admission, responses, docs, routes, run, sessions, slots, writePace } = this.#parts;
    const url = request.url ?? '/';
    const queryStart = url.indexOf('?');
    const path = queryStart === -1 ? url : url.slice(0, queryStart);
    if (request.method === 'OPTIONS') {
      await admission.peekAddressQuota(exchange);
      return responses.send(exchange, 204, undefined, preflightHeaders);
    }
    const page = docs.find(path, request);
    if (page !== undefined) {
      await admission.consumeAddressQuota(exchange);
      return docs.send(exchange, page);
    }
    const credential = await admission.admit(exchange);
    exchange.releaseSlot = await holdSlot(slots, credential.principal.credential_id, exchange.response);
    const { method = 'GET' } = request;
    const { org_id } = credential.principal;
    if (method !== 'GET' && org_id !== '') await writePace.turn(org_id, admission.organizationLimit(credential));
    const found = routes.find(method, path);
    if (found === undefined) return this.#unknown(exchange, path);
    exchange.operation = found.route.name;
    exchange.route = found.route.operation.path;
    await run.run(exchange, found, queryStart === -1 ? {} : lastValues(parseQuery(url.slice(queryStart + 1))), path, credential);
    // The next request of this session must see the change; other gateways learn of it by event.
    if (found.route.access.peopleOnly && method !== 'GET') sessions.drop(credential.principal.credential_id);
  }

  #unknown(exchange: Exchange, path: string): void {
    const allowed = this.#parts.routes.allowed(path);
    if (allowed.length === 0) throw new AppError('route_not_found');
    this.#parts.responses.error(exchange, new AppError('method_not_allowed'), ['Allow', allowed.join(', ')]);
  }
}

function begin(request: IncomingMessage, response: ServerResponse): Exchange {
  const sent = request.headers['x-request-id'];
  const requestId = typeof sent === 'string' && requestIdPattern.test(sent) ? sent : randomUUID();
  return { request, response, requestId, startedAt: performance.now(), operation: 'unknown' };
}

/** If a query parameter is repeated, its last value counts. */
function lastValues(query: ParsedUrlQuery): Query {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value]));
}
