import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, parameterWarnings, sessionDigest } from '@webkiln/contract';
import { type Caller, contentChunkBytes } from '@webkiln/messages';
import { idempotencyFor, parseJson, type Repeatable, requestFor } from '@webkiln/operations';
import { callForReply, delegationOf, type MethodName, type RequestOf } from '@webkiln/rpc';
import { tracing, withSpan } from '@webkiln/runtime';
import type { Admission, Admit } from '../admission/admit.ts';
import { RequestSlots } from '../admission/bounds.ts';
import type { Credential, CredentialCache } from '../admission/credential-cache.ts';
import { type Docs, docsPages } from '../pages/docs.ts';
import { CsvExport, prefersCsv, wantsWholeCsv } from './csv.ts';
import {
  acceptPatch,
  assertMediaType,
  beginExchange,
  callerOf,
  type Exchange,
  lastValues,
  mayBeLarge,
  readBody,
  recordRequest,
  sendsZip,
} from './exchange.ts';
import type { LargeBodies } from './large-bodies.ts';
import { ReplyWriter } from './reply-writer.ts';
import type { RequestLog } from './request-log.ts';
import { preflightHeaders, type ResponseWriter } from './response-writer.ts';
import { assertRole, queryWithin, type RouteMatch, Routes } from './routes.ts';
import type { TurnStreamResponses } from './turn-stream-response.ts';
import type { Uploads } from './uploads.ts';

interface Parts {
  readonly admission: Admission;
  readonly responses: ResponseWriter;
  readonly sessions: CredentialCache;
  readonly docs: Docs;
  readonly uploads: Uploads;
  readonly largeBodies: LargeBodies;
  readonly turns: TurnStreamResponses;
  readonly requestLog: RequestLog;
  /** The resources (RFC 8707) that a token may be issued for to call the API. */
  readonly resources: readonly string[];
  readonly baseUrl: string;
  readonly timeoutMs: number;
}

/** A request of the API. */
interface ApiExchange extends Exchange {
  /** Relative to the API's base URL, without the query. */
  readonly path: string;
  readonly query: string;
  /** Set by the step `route`. */
  found?: RouteMatch;
}

/** A request after the steps that set these. */
type AdmittedExchange = ApiExchange & { readonly credential: Credential; readonly found: RouteMatch };

/** A call of a service that has been sent. */
interface StartedCall {
  /** The request of a list, which the links of the answer repeat; else empty. */
  readonly listed: Record<string, unknown>;
  readonly caller: Caller;
  readonly replied: ReturnType<typeof callForReply<MethodName>>;
}

/** Operations with large bodies get this multiple of the usual timeout. */
const largeBodyTimeoutFactor = 3;
/** Each call holds its encoded body in memory. An organization has one at a time, so that it delays none of another. */
const largeBodyWork = { bound: 'large bodies', slots: 4, maxPerKey: 1, maxWaitingPerKey: 64, maxWaiting: 256, maxWaitMs: 20_000 };
const bodyMethods = new Set(['POST', 'PUT', 'PATCH']);

/** Serves /api/v1: admits a request, validates it, calls the service's RPC and writes the response. */
export class Api {
  readonly #parts: Parts;
  readonly #admit: Admit<ApiExchange>;
  readonly #routes = new Routes();
  readonly #replyWriter: ReplyWriter;
  readonly #csvExport: CsvExport;
  readonly #largeBodyWork = new RequestSlots(largeBodyWork);

  constructor(parts: Parts) {
    const { admission, resources } = parts;
    this.#parts = parts;
    this.#replyWriter = new ReplyWriter(parts);
    this.#csvExport = new CsvExport(parts);
    this.#admit = admission.ladder<ApiExchange>({
      host: { notApplicable: 'pages of any origin may call the API with a token of their own' },
      authenticate: ({ request }) => admission.authenticator.authenticate(request, resources),
      route: (exchange) => this.#findRoute(exchange),
      role: assertRole,
      // What needs no organization stays open: a person may go on in another one.
      needsNoOrganization: ({ found }) => found?.route.access.roles === 'anyone',
      body(exchange) {
        const { method = '', takesZip } = exchange.found?.route.operation ?? {};
        if (method === 'PATCH') exchange.refusalHeaders = acceptPatch;
        if (bodyMethods.has(method)) assertMediaType(exchange.request, takesZip);
      },
      isWrite: ({ found }) => found?.route.operation.method !== 'GET',
      isStream: ({ found }) => found?.route.serialize === 'stream',
    });
  }

  /** Handles requests below /api/v1: `request.url` is relative to it. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const exchange = beginExchange(request, response);
    response.once('close', () => recordRequest(exchange, this.#parts.requestLog));
    const served = tracing.enabled ? this.#traced(exchange) : this.#serve(exchange);
    served.catch((error: unknown) => this.#parts.responses.error(exchange, error));
  };

  #traced(exchange: ApiExchange): Promise<void> {
    const { method, headers } = exchange.request;
    return withSpan(
      `${method} /api/v1`,
      { kind: 'server', attributes: { 'http.request.method': method ?? '' }, parent: headers.traceparent as string | undefined },
      () => this.#serve(exchange),
    );
  }

  async #serve(exchange: ApiExchange): Promise<void> {
    const { request, path } = exchange;
    const { admission, responses, docs, sessions } = this.#parts;
    if (request.method === 'OPTIONS') {
      await admission.quotas.peekAddress(exchange);
      const takes = this.#routes.allowed(path).includes('PATCH') ? acceptPatch : [];
      return responses.send(exchange, 204, undefined, [...preflightHeaders, ...takes]);
    }
    const found = docsPages.get(path);
    const page = found && docs.choose(found, request);
    if (page !== undefined) {
      await admission.quotas.consumeAddress(exchange);
      return docs.send(exchange, page);
    }
    // Every page before sign-in asks this, and nothing has failed then.
    if (path === '/account/session' && request.method === 'GET' && carriesNothing(request)) {
      await admission.quotas.consumeAddress(exchange);
      return responses.json(exchange, 200, nobody);
    }
    await this.#admit(exchange);
    const admitted = exchange as AdmittedExchange;
    const { access, operation } = admitted.found.route;
    await this.#run(admitted);
    // The next request of this session must see the change; other gateways learn of it by event.
    if ((access.peopleOnly || access.area !== undefined) && operation.method !== 'GET')
      sessions.drop(admitted.credential.principal.credential_id);
  }

  #findRoute(exchange: ApiExchange): void {
    const { request, path } = exchange;
    const found = this.#routes.find(request.method ?? 'GET', path);
    if (found === undefined) {
      const allowed = this.#routes.allowed(path);
      if (allowed.length === 0) throw new AppError('route_not_found');
      exchange.refusalHeaders = ['Allow', allowed.join(', ')];
      throw new AppError('method_not_allowed');
    }
    exchange.found = found;
    exchange.operation = found.route.name;
    exchange.route = found.route.operation.path;
  }

  async #run(exchange: AdmittedExchange): Promise<void> {
    const { request, response, credential } = exchange;
    const { route, params } = exchange.found;
    const { method, bodyBytes, csv, takesZip } = route.operation;
    if (!bodyMethods.has(method)) {
      const sent = exchange.query === '' ? {} : lastValues(exchange.query);
      if (exchange.query !== '') exchange.parameterWarnings = parameterWarnings(route.operation, sent);
      const query = queryWithin(sent, route, credential.principal.project_id);
      // What is shown as the service encodes it.
      const wantsJson = route.complete === undefined && (csv === undefined || !prefersCsv(request.headers.accept));
      const caller = { ...this.#caller(exchange), wantsJson };
      const asked = { ...requestFor(route, query, params), ...(route.serialize === 'file' && { max_bytes: contentChunkBytes }) };
      if (csv !== undefined && 'next' in csv && wantsWholeCsv(query, request.headers.accept)) {
        return this.#csvExport.send(exchange, { rpc: route.rpc, csv, request: asked, caller });
      }
      return this.#answer(exchange, this.#call(exchange, asked, caller));
    }
    // A small zip may unpack to a whole site.
    const isZip = takesZip === true && sendsZip(request);
    if (bodyBytes === undefined || !(isZip || mayBeLarge(request))) {
      return this.#answer(exchange, this.#callWithBody(exchange, await readBody(request)));
    }
    const { uploads, largeBodies } = this.#parts;
    const { credential_id, org_id } = credential.principal;
    const { close, ...file } = await uploads.receive(request, bodyBytes, credential_id);
    const work = async () => {
      if (response.destroyed) throw new AppError('malformed_request');
      const repeatable = method === 'POST' ? this.#repeatable(exchange) : undefined;
      const { payload, idempotency } = await largeBodies.read(org_id, { ...file, isZip, operation: route.name, params, repeatable });
      const call = this.#call(exchange, payload, { ...this.#caller(exchange, largeBodyTimeoutFactor), idempotency });
      await call.replied;
      payload.buffer.transfer(0);
      return call;
    };
    // Not the answer: the stream of a turn may take minutes.
    const call = await this.#largeBodyWork.run(org_id, work).finally(close);
    return this.#answer(exchange, call);
  }

  /** Parses and encodes a body and sends the call. Its deadline starts now: a slow upload takes no time from it. */
  #callWithBody(exchange: AdmittedExchange, body: Buffer): StartedCall {
    const { route, params } = exchange.found;
    const { bodyBytes, input, isSlow, method } = route.operation;
    const caller = this.#caller(exchange, bodyBytes === undefined && !isSlow ? 1 : largeBodyTimeoutFactor);
    const values = input && parseJson(body);
    const asked = requestFor(route, values, params);
    if (method !== 'POST') return this.#call(exchange, asked, caller);
    return this.#call(exchange, asked, { ...caller, idempotency: idempotencyFor({ ...this.#repeatable(exchange), body, values }) });
  }

  #repeatable({ request, credential, path }: AdmittedExchange): Omit<Repeatable, 'body'> {
    const key = request.headers['idempotency-key'] as string | undefined;
    return { key, keyName: 'Idempotency-Key', credentialId: credential.principal.credential_id, path };
  }

  #caller(exchange: AdmittedExchange, timeoutFactor = 1): Caller {
    return callerOf(exchange, exchange.credential.principal, this.#parts.timeoutMs * timeoutFactor, exchange.request.headers['if-match']);
  }

  #call(exchange: AdmittedExchange, request: RequestOf<MethodName> | Uint8Array, caller: Caller): StartedCall {
    const { route } = exchange.found;
    const send = () => (isForwarded(route.rpc) ? this.#forward(route.rpc, request, caller) : callForReply(route.rpc, request, caller));
    const checked = route.precondition?.(request as never, caller);
    const replied = checked === undefined ? send() : checked.then(send);
    return { listed: route.isList ? (request as Record<string, unknown>) : {}, caller, replied };
  }

  /** mcp acts with the rights of the caller. */
  async #forward(rpc: MethodName, request: RequestOf<MethodName> | Uint8Array, caller: Caller) {
    return callForReply(rpc, request, { ...caller, delegation: await delegationOf(caller.principal, 'mcp') });
  }

  async #answer(exchange: AdmittedExchange, { listed: request, caller, replied }: StartedCall): Promise<void> {
    const { route } = exchange.found;
    const { reply: own, replayed } = await replied;
    const reply = (await route.complete?.(own as never, caller)) ?? own;
    await this.#replyWriter.send(exchange, { route, path: exchange.path, request, caller, reply, replayed });
  }
}

const nobody = JSON.stringify({ account: null, organization: null, role: null, organizations: [], second_factor_required: false });
const carriesNothing = ({ headers }: IncomingMessage) => headers.authorization === undefined && sessionDigest(headers.cookie) === undefined;

const isForwarded = (rpc: MethodName): boolean => rpc.startsWith('mcp.');
