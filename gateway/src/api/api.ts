import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { AppError } from '@webkiln/contract';
import { logRequest, tracing, withSpan } from '@webkiln/runtime';
import type { Admission } from './admission.ts';
import type { Answers, Exchange } from './answer.ts';
import { answeredRequest } from './answered-request.ts';
import type { Docs } from './docs.ts';
import { observe } from './metrics.ts';
import type { Routes } from './operation.ts';
import type { RequestLog } from './request-log.ts';
import type { RunOperation } from './run-operation.ts';
import type { Verdicts } from './verdicts.ts';

interface Parts {
  readonly routes: Routes;
  readonly answers: Answers;
  readonly admission: Admission;
  readonly sessions: Verdicts;
  readonly docs: Docs;
  readonly run: RunOperation;
  readonly requests: RequestLog;
}

const requestIdForm = /^[\w.:+/=-]{1,128}$/;
const preflightHeaders = [
  ...['Access-Control-Allow-Methods', 'GET, POST, PATCH, DELETE, OPTIONS'],
  ...[
    'Access-Control-Allow-Headers',
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id, traceparent',
  ],
  ...['Access-Control-Max-Age', '86400'],
];

/** Everything under /api/v1. Refuses in the order 401, 429, 403, 415, 400, 404. */
export class Api {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** An Express handler; `request.url` is what follows /api/v1. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const exchange = begin(request, response);
    response.once('close', () => this.#finished(exchange));
    const served = tracing.enabled ? this.#traced(exchange) : this.#serve(exchange);
    served.catch((error: unknown) => this.#parts.answers.error(exchange, error));
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
    const { admission, answers, docs, routes, run, sessions } = this.#parts;
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    if (request.method === 'OPTIONS') {
      await admission.lookAtAddress(exchange);
      return answers.send(exchange, 204, undefined, preflightHeaders);
    }
    const page = docs.find(path, request);
    if (page !== undefined) {
      await admission.takeOfAddress(exchange);
      return docs.send(exchange, page);
    }
    const verdict = await admission.admit(exchange);
    const found = routes.find(request.method ?? 'GET', path);
    if (found === undefined) return this.#unknown(exchange, path);
    exchange.operation = found.operation.name;
    exchange.route = found.operation.endpoint.path;
    await run.run(exchange, found, mark === -1 ? {} : parseQuery(url.slice(mark + 1)), path, verdict);
    // What a person changes of his own standing holds for his next request here; at other gateways when they hear of it.
    if (found.operation.access.peopleOnly && request.method !== 'GET') sessions.drop(verdict.principal.credential_id);
  }

  #unknown(exchange: Exchange, path: string): void {
    const allowed = this.#parts.routes.allowed(path);
    if (allowed.length === 0) throw new AppError('route_not_found');
    this.#parts.answers.error(exchange, new AppError('method_not_allowed'), ['Allow', allowed.join(', ')]);
  }

  #finished(exchange: Exchange): void {
    const { request, response, requestId, operation, startedAt, principal } = exchange;
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    const status = response.writableFinished ? response.statusCode : 499;
    observe(operation, status, ms);
    const { method = '' } = request;
    logRequest({
      request_id: requestId,
      operation,
      method,
      status,
      ms,
      credential_id: principal?.credential_id,
      org_id: principal?.org_id,
    });
    const answered = answeredRequest(exchange, { method, status, duration_ms: ms });
    if (answered !== undefined) this.#parts.requests.record(answered);
  }
}

function begin(request: IncomingMessage, response: ServerResponse): Exchange {
  const sent = request.headers['x-request-id'];
  const requestId = typeof sent === 'string' && requestIdForm.test(sent) ? sent : randomUUID();
  return { request, response, requestId, startedAt: performance.now(), operation: 'unknown' };
}
