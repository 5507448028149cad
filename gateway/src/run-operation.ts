import type { ParsedUrlQuery } from 'node:querystring';
import { AppError, isAllowed, validate } from '@webkiln/contract';
import { type Caller, callForReply, type MethodName, type Principal, type RequestOf } from '@webkiln/rpc';
import type { Answers, Exchange } from './answer.ts';
import { assertFewValues } from './assert-few-values.ts';
import { csvHeaders, tableText, wantsCsv } from './csv.ts';
import { idempotencyOf } from './idempotency.ts';
import { LargeBodies } from './large-bodies.ts';
import { pageHeaders } from './links.ts';
import { onceGone } from './once-gone.ts';
import type { Operation } from './operation.ts';
import { assertJson, mayBeLarge, parseJson, readBody } from './read-body.ts';
import type { Verdict } from './verdicts.ts';
import { WholeTable } from './whole-table.ts';

interface Found {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string | undefined>>;
}

interface FileReply {
  readonly file: { readonly content_type: string; readonly sha256: string };
  readonly content: Uint8Array;
}

/** How much more time than others an operation has that may have a large body. */
const largeBodyTimes = 3;
/** As many are read, so that a slow sender does not hold up all others; one is parsed and passed on. */
const largeBodies = { atOnce: 2, waitMs: 15_000 };
const largeWork = { atOnce: 1, waitMs: 20_000 };
const bodyMethods = new Set(['POST', 'PATCH']);

/** Takes an admitted request through validation and the service's RPC to its answer. */
export class RunOperation {
  readonly #answers: Answers;
  readonly #timeoutMs: number;
  readonly #baseUrl: string;
  readonly #tables: WholeTable;
  readonly #largeBodies = new LargeBodies(largeBodies);
  readonly #largeWork = new LargeBodies(largeWork);

  constructor(options: { answers: Answers; timeoutMs: number; baseUrl: string }) {
    this.#answers = options.answers;
    this.#timeoutMs = options.timeoutMs;
    this.#baseUrl = options.baseUrl;
    this.#tables = new WholeTable(options);
  }

  async run(exchange: Exchange, { operation, params }: Found, query: ParsedUrlQuery, path: string, verdict: Verdict): Promise<void> {
    const { endpoint } = operation;
    const refusal = refusalOf(verdict.principal, operation);
    if (refusal !== undefined) return this.#answers.error(exchange, refusal, ['X-Accepted-Permissions', endpoint.permission]);
    if (!bodyMethods.has(endpoint.method)) {
      const input = endpoint.input === undefined ? {} : validate(endpoint.input, lastOfEach(query));
      const caller = this.#caller(exchange, verdict);
      const request = { ...input, ...this.#ids(operation, params) };
      const { csv } = endpoint;
      if (csv !== undefined && 'next' in csv && !namesPage(query) && wantsCsv(exchange.request.headers.accept)) {
        return this.#tables.send(exchange, { rpc: operation.rpc, csv, request, caller });
      }
      return this.#call(exchange, operation, path, request, caller);
    }
    assertJson(exchange.request);
    const { bodyBytes } = endpoint;
    if (bodyBytes === undefined || !mayBeLarge(exchange.request)) {
      return this.#withBody(exchange, { operation, params }, path, verdict, await readBody(exchange.request));
    }
    await this.#largeBodies.hold(async () => {
      const body = await readBody(exchange.request, bodyBytes);
      await this.#largeWork.hold(() => {
        assertFewValues(body);
        return this.#withBody(exchange, { operation, params }, path, verdict, body);
      });
    });
  }

  /** The time for the work begins when the body is here: a large one may take its own. */
  async #withBody(exchange: Exchange, { operation, params }: Found, path: string, verdict: Verdict, body: Buffer): Promise<void> {
    const { endpoint } = operation;
    const caller = this.#caller(exchange, verdict, endpoint.bodyBytes === undefined ? 1 : largeBodyTimes);
    const input = endpoint.input === undefined ? {} : validate(endpoint.input, parseJson(body));
    const request = { ...input, ...this.#ids(operation, params) };
    if (endpoint.method === 'PATCH') return this.#call(exchange, operation, path, { ...request, update_mask: Object.keys(input) }, caller);
    const idempotency = idempotencyOf(exchange.request, verdict.principal.credential_id, path, body);
    await this.#call(exchange, operation, path, request, { ...caller, idempotency });
  }

  #caller({ request, response, requestId }: Exchange, { principal }: Verdict, times = 1): Caller {
    return {
      principal,
      requestId,
      deadlineAt: Date.now() + this.#timeoutMs * times,
      ifMatch: request.headers['if-match'],
      traceparent: request.headers.traceparent as string | undefined,
      onCancel: (cancel) => onceGone(response, cancel),
    };
  }

  /** The path's parameters as request fields; an id that can be no id is answered as an unknown one. */
  #ids(operation: Operation, params: Found['params']): Record<string, string> {
    const ids: Record<string, string> = {};
    for (const { name, field, form } of operation.params) {
      const value = params[name] ?? '';
      if (form?.test(value) === false) throw new AppError(operation.notFound);
      ids[field] = form === undefined ? value : value.toLowerCase();
    }
    return ids;
  }

  async #call(exchange: Exchange, operation: Operation, path: string, request: Record<string, unknown>, caller: Caller): Promise<void> {
    const { reply, replayed } = await callForReply(operation.rpc, request as RequestOf<MethodName>, caller);
    const headers = replayed ? ['Idempotent-Replayed', 'true'] : [];
    if (operation.present === 'file') return this.#file(exchange, reply as unknown as FileReply);
    const { etag, total } = reply as { etag?: string; total?: number };
    if (etag !== undefined && etag !== '') {
      headers.push('ETag', etag);
      if (operation.endpoint.method === 'GET' && exchange.request.headers['if-none-match'] === etag) {
        return this.#answers.send(exchange, 304, undefined, headers);
      }
    }
    if (operation.isList) headers.push(...pageHeaders(`${this.#baseUrl}${path}`, request, total ?? 0));
    if (operation.endpoint.method === 'DELETE' && prefersMinimal(exchange.request.headers.prefer)) {
      return this.#answers.send(exchange, 204, undefined, ['Preference-Applied', 'return=minimal']);
    }
    const { csv, success } = operation.endpoint;
    if (csv !== undefined) {
      headers.push('Vary', 'Accept');
      if (wantsCsv(exchange.request.headers.accept)) {
        return this.#answers.send(exchange, success, tableText(csv, reply), [...csvHeaders(csv), ...headers]);
      }
    }
    this.#answers.json(exchange, success, JSON.stringify(operation.present(reply)), headers);
  }

  /** A customer's file, from our own origin: it must come down as data, never as a page of ours. */
  #file(exchange: Exchange, { file, content }: FileReply): void {
    const etag = `"${file.sha256}"`;
    const headers = [
      'Content-Type',
      file.content_type,
      'Content-Disposition',
      'attachment',
      'Content-Security-Policy',
      'sandbox',
      'ETag',
      etag,
    ];
    const unchanged = exchange.request.headers['if-none-match'] === etag;
    this.#answers.send(exchange, unchanged ? 304 : 200, unchanged ? undefined : content, headers);
  }
}

/** What the services would refuse, told before anything is read: a key by its permissions, somebody signed in by his role. */
function refusalOf({ kind, permissions, role }: Principal, { endpoint, access }: Operation): AppError | undefined {
  if (kind === 'session') return isAllowed(access, role) ? undefined : new AppError('role_missing');
  if (access.peopleOnly) return new AppError('session_required');
  if (!permissions.includes(endpoint.permission)) return new AppError('permission_missing');
  return role === undefined || isAllowed(access, role) ? undefined : new AppError('role_missing');
}

/** Whether a caller wants one page, rather than everything. */
const namesPage = ({ limit, offset }: ParsedUrlQuery) => limit !== undefined || offset !== undefined;

/** A repeated query parameter counts once: the last one given. */
function lastOfEach(query: ParsedUrlQuery): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value]));
}

/** RFC 7240 §4.2 */
const prefersMinimal = (prefer: string | string[] | undefined) =>
  prefer !== undefined &&
  String(prefer)
    .split(',')
    .some((preference) => /^\s*return\s*=\s*"?minimal"?\s*$/i.test(preference));
