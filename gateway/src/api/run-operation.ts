import { AppError, refusalOf } from '@webkiln/contract';
import { type Caller, contentChunkBytes } from '@webkiln/messages';
import { idempotencyFor, requestFor } from '@webkiln/operations';
import { callForReply, type MethodName, type RequestOf } from '@webkiln/rpc';
import type { TurnReplies } from '../chat/turn-replies.ts';
import type { ActiveCredential } from '../credentials/recent-credentials.ts';
import { RequestSlots } from '../in-flight/request-slots.ts';
import { assertFewValues } from './assert-few-values.ts';
import { wantsWholeCsv } from './csv.ts';
import { CsvExport } from './csv-export.ts';
import { callerOf, type Exchange } from './exchange.ts';
import { assertJson, mayBeLarge, parseJson, readBody } from './read-body.ts';
import { ReplyWriter } from './reply-writer.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { Route, RouteMatch } from './routes.ts';
import type { Uploads } from './uploads.ts';

/** Operations with large bodies get this multiple of the usual timeout. */
const largeBodyTimeoutFactor = 3;
/** Parsing takes several times a body's memory: one large body is parsed at a time, and credentials take turns. */
const largeBodyWork = { bound: 'large bodies', slots: 1, maxPerKey: 1, maxWaitingPerKey: 16, maxWaiting: 256, maxWaitMs: 20_000 };
const bodyMethods = new Set(['POST', 'PATCH']);

/** Query parameters. */
export type Query = Readonly<Record<string, string | undefined>>;

interface Options {
  readonly responses: ResponseWriter;
  readonly timeoutMs: number;
  readonly baseUrl: string;
  readonly uploads: Uploads;
  readonly turns: TurnReplies;
}

/** Validates an admitted request, calls the service's RPC and writes the response. */
export class RunOperation {
  readonly #options: Options;
  readonly #replyWriter: ReplyWriter;
  readonly #csvExport: CsvExport;
  readonly #largeBodyWork = new RequestSlots(largeBodyWork);

  constructor(options: Options) {
    this.#options = options;
    this.#replyWriter = new ReplyWriter(options);
    this.#csvExport = new CsvExport(options);
  }

  async run(exchange: Exchange, { route, params }: RouteMatch, query: Query, path: string, credential: ActiveCredential): Promise<void> {
    const { operation } = route;
    const refusal = refusalOf(credential.principal, route.access);
    if (refusal !== undefined)
      return this.#options.responses.error(exchange, new AppError(refusal), ['X-Accepted-Permissions', operation.permission]);
    // What needs no organization stays open: a person may go on in another one.
    if (credential.isSuspended && route.access.roles !== 'anyone') throw new AppError('organization_suspended');
    if (!bodyMethods.has(operation.method)) {
      const caller = this.#caller(exchange, credential);
      const request = {
        ...requestFor(route, query, params),
        ...(route.serialize === 'file' && { max_bytes: contentChunkBytes }),
      };
      const { csv } = operation;
      if (csv !== undefined && 'next' in csv && wantsWholeCsv(query, exchange.request.headers.accept)) {
        return this.#csvExport.send(exchange, { rpc: route.rpc, csv, request, caller });
      }
      return this.#call(exchange, route, path, request, caller);
    }
    assertJson(exchange.request);
    const { bodyBytes } = operation;
    if (bodyBytes === undefined || !mayBeLarge(exchange.request)) {
      return this.#withBody(exchange, { route, params }, path, credential, await readBody(exchange.request));
    }
    const { credential_id } = credential.principal;
    const upload = await this.#options.uploads.receive(exchange.request, bodyBytes, credential_id);
    const work = async () => {
      if (exchange.response.destroyed) throw new AppError('malformed_request');
      const body = await upload.read();
      assertFewValues(body);
      await this.#withBody(exchange, { route, params }, path, credential, body);
    };
    await this.#largeBodyWork.run(credential_id, work).finally(upload.close);
  }

  /** The call's deadline starts after the body has arrived: a slow upload takes no time from it. */
  async #withBody(
    exchange: Exchange,
    { route, params }: RouteMatch,
    path: string,
    credential: ActiveCredential,
    body: Buffer,
  ): Promise<void> {
    const { operation } = route;
    const caller = this.#caller(exchange, credential, operation.bodyBytes === undefined ? 1 : largeBodyTimeoutFactor);
    const request = requestFor(route, operation.input && parseJson(body), params);
    if (operation.method === 'PATCH') return this.#call(exchange, route, path, request, caller);
    const idempotency = idempotencyFor({
      key: exchange.request.headers['idempotency-key'] as string | undefined,
      keyName: 'Idempotency-Key',
      credentialId: credential.principal.credential_id,
      path,
      body,
    });
    await this.#call(exchange, route, path, request, { ...caller, idempotency });
  }

  #caller(exchange: Exchange, { principal }: ActiveCredential, timeoutFactor = 1): Caller {
    return callerOf(exchange, principal, this.#options.timeoutMs * timeoutFactor, exchange.request.headers['if-match']);
  }

  async #call(exchange: Exchange, route: Route, path: string, request: Record<string, unknown>, caller: Caller): Promise<void> {
    if (route.serialize === 'stream') await this.#options.turns.admit(exchange, caller);
    const { reply: own, replayed } = await callForReply(route.rpc, request as RequestOf<MethodName>, caller);
    const reply = (await route.complete?.(own as never, caller)) ?? own;
    await this.#replyWriter.send(exchange, { route, path, request, caller, reply, replayed });
  }
}
