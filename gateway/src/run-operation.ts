import type { ParsedUrlQuery } from 'node:querystring';
import { AppError, validate } from '@webkiln/contract';
import { type Caller, callForReply, type MethodName, type RequestOf } from '@webkiln/rpc';
import type { Answers, Exchange } from './answer.ts';
import { idempotencyOf } from './idempotency.ts';
import type { KeyVerdict } from './key-verdicts.ts';
import { pageHeaders } from './links.ts';
import { onceGone } from './once-gone.ts';
import type { Operation } from './operation.ts';
import { assertJson, parseJson, readBody } from './read-body.ts';

interface Found {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string | undefined>>;
}

interface FileReply {
  readonly file: { readonly content_type: string; readonly sha256: string };
  readonly content: Uint8Array;
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const bodyMethods = new Set(['POST', 'PATCH']);

/** Takes an admitted request through validation and the service's RPC to its answer. */
export class RunOperation {
  readonly #answers: Answers;
  readonly #timeoutMs: number;
  readonly #baseUrl: string;

  constructor(options: { answers: Answers; timeoutMs: number; baseUrl: string }) {
    this.#answers = options.answers;
    this.#timeoutMs = options.timeoutMs;
    this.#baseUrl = options.baseUrl;
  }

  async run(exchange: Exchange, { operation, params }: Found, query: ParsedUrlQuery, path: string, verdict: KeyVerdict): Promise<void> {
    const { endpoint } = operation;
    if (!verdict.permissions.has(endpoint.permission)) {
      return this.#answers.error(exchange, new AppError('permission_missing'), ['X-Accepted-Permissions', endpoint.permission]);
    }
    const caller: Caller = {
      principal: verdict.principal,
      requestId: exchange.requestId,
      deadlineAt: Date.now() + this.#timeoutMs,
      ifMatch: exchange.request.headers['if-match'],
      traceparent: exchange.request.headers.traceparent as string | undefined,
      onCancel: (cancel) => onceGone(exchange.response, cancel),
    };
    if (!bodyMethods.has(endpoint.method)) {
      const input = endpoint.input === undefined ? {} : validate(endpoint.input, lastOfEach(query));
      return this.#call(exchange, operation, path, { ...input, ...this.#ids(operation, params) }, caller);
    }
    assertJson(exchange.request);
    const body = await readBody(exchange.request);
    const input = endpoint.input === undefined ? {} : validate(endpoint.input, parseJson(body));
    const request = { ...input, ...this.#ids(operation, params) };
    if (endpoint.method === 'PATCH') return this.#call(exchange, operation, path, { ...request, update_mask: Object.keys(input) }, caller);
    const idempotency = idempotencyOf(exchange.request, verdict.keyId, path, body);
    await this.#call(exchange, operation, path, request, { ...caller, idempotency });
  }

  /** The path's parameters as request fields; an id that can be no id is answered as an unknown one. */
  #ids(operation: Operation, params: Found['params']): Record<string, string> {
    const ids: Record<string, string> = {};
    for (const { name, field, isId } of operation.params) {
      const value = params[name] ?? '';
      if (isId && !uuidForm.test(value)) throw new AppError(operation.notFound);
      ids[field] = isId ? value.toLowerCase() : value;
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
    this.#answers.json(exchange, operation.endpoint.success, JSON.stringify(operation.present(reply)), headers);
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
