import type { ParsedUrlQuery } from 'node:querystring';
import { validate } from '@webkiln/contract';
import { type Caller, callForReply, type MethodName, type RequestOf } from '@webkiln/rpc';
import type { Answers, Exchange } from './answer.ts';
import { assertFewValues } from './assert-few-values.ts';
import { wantsCsv } from './csv.ts';
import { idempotencyOf } from './idempotency.ts';
import { LargeBodies } from './large-bodies.ts';
import { onceGone } from './once-gone.ts';
import { type Found, idsIn, type Operation } from './operation.ts';
import { assertJson, mayBeLarge, parseJson, readBody } from './read-body.ts';
import { refusalOf } from './refusal-of.ts';
import { ReplyAnswers } from './reply-answers.ts';
import type { Verdict } from './verdicts.ts';
import { WholeTable } from './whole-table.ts';

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
  readonly #replies: ReplyAnswers;
  readonly #tables: WholeTable;
  readonly #largeBodies = new LargeBodies(largeBodies);
  readonly #largeWork = new LargeBodies(largeWork);

  constructor(options: { answers: Answers; timeoutMs: number; baseUrl: string }) {
    this.#answers = options.answers;
    this.#timeoutMs = options.timeoutMs;
    this.#replies = new ReplyAnswers(options);
    this.#tables = new WholeTable(options);
  }

  async run(exchange: Exchange, { operation, params }: Found, query: ParsedUrlQuery, path: string, verdict: Verdict): Promise<void> {
    const { endpoint } = operation;
    const refusal = refusalOf(verdict.principal, operation);
    if (refusal !== undefined) return this.#answers.error(exchange, refusal, ['X-Accepted-Permissions', endpoint.permission]);
    if (!bodyMethods.has(endpoint.method)) {
      const input = endpoint.input === undefined ? {} : validate(endpoint.input, lastOfEach(query));
      const caller = this.#caller(exchange, verdict);
      const request = { ...input, ...idsIn(operation, params) };
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
    const request = { ...input, ...idsIn(operation, params) };
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

  async #call(exchange: Exchange, operation: Operation, path: string, request: Record<string, unknown>, caller: Caller): Promise<void> {
    const { reply, replayed } = await callForReply(operation.rpc, request as RequestOf<MethodName>, caller);
    this.#replies.send(exchange, { operation, path, request, reply, replayed });
  }
}

/** Whether a caller wants one page, rather than everything. */
const namesPage = ({ limit, offset }: ParsedUrlQuery) => limit !== undefined || offset !== undefined;

/** A repeated query parameter counts once: the last one given. */
function lastOfEach(query: ParsedUrlQuery): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value]));
}
