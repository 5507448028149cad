import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { AgentReads, AgentSwitches, callTool, ToolSelection, toolShare } from '@webkiln/agent-tools';
import { AppError } from '@webkiln/contract';
import { type Caller, servicePrincipal } from '@webkiln/messages';
import { call, callForReply, delegationOf } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import type { Admission, Admit } from '../admission/admit.ts';
import { assertMediaType, callerOf, type Exchange, newRequestId, readBody, recordRequest } from '../api/exchange.ts';
import type { RequestLog } from '../api/request-log.ts';
import { type ResponseWriter, retryAfter } from '../api/response-writer.ts';
import type { TurnStreamResponses } from '../api/turn-stream-response.ts';
import { BuildProgress, progressTokenOf } from './build-progress.ts';
import { answerPreflight, McpAddress, readable } from './mcp-address.ts';
import {
  agentOf,
  isNegotiating,
  isWrite,
  type McpMessage,
  messageIn,
  needsToken,
  SharedAnswers,
  sendError,
  sessionIdOf,
  shownName,
} from './mcp-message.ts';
import { assertScope, challengeFor } from './mcp-scope.ts';
import { type ReadCall, readCallOf } from './read-call.ts';

interface Parts {
  readonly origin: string;
  readonly admission: Admission;
  readonly responses: ResponseWriter;
  readonly turns: TurnStreamResponses;
  readonly requestLog: RequestLog;
  /** How long mcp may take. */
  readonly timeoutMs: number;
}

/** A message of an agent, and the response to it. */
interface McpExchange extends Exchange {
  /** Set by the step `body`, as the next ones. */
  message?: McpMessage;
  /** The message as it was sent. */
  body?: Buffer;
  /** The platform's address as the agent knows it. */
  origin?: string;
  /** The tools that the address asks for. */
  selection?: ToolSelection;
}

/** The HTTP response to a message, and its outcome for the log. */
interface McpAnswer {
  readonly status: number;
  /** The text before `json`. */
  readonly start?: string;
  readonly json: Buffer;
  readonly outcome_status?: number;
  readonly outcome_code?: string;
}

const jsonHeaders: readonly string[] = [...readable, 'Content-Type', 'application/json'];
const noHeaders: readonly string[] = [];
/** The caller of a message without a credential. */
const anonymous = servicePrincipal('gateway', '');

/**
 * Takes agents' messages to the service mcp, at `{origin}/api/mcp`: admits each, and sends it on as a call, with the
 * principal in place of the credential. Every message counts on the limits of its credential, or of its client address
 * without one.
 */
export class McpHandler {
  readonly #parts: Parts;
  readonly #admit: Admit<McpExchange>;
  readonly #shared = new SharedAnswers();
  readonly #progress: BuildProgress;
  readonly #switches = new AgentSwitches('gateway', (caller) => call('accounts.GetAgentAccess', {}, caller));
  readonly #reads = new AgentReads('gateway', this.#switches);

  constructor(parts: Parts) {
    const { origin, admission } = parts;
    const resources = [`${origin}/api/mcp`];
    const address = new McpAddress(origin);
    this.#parts = parts;
    this.#progress = new BuildProgress(parts.responses, parts.turns);
    this.#admit = admission.ladder<McpExchange>({
      host(exchange) {
        exchange.origin = address.originOf(exchange.request);
        address.assertOwnPage(exchange.request);
        const { url = '' } = exchange.request;
        const at = url.indexOf('?');
        exchange.selection = at === -1 ? ToolSelection.none : ToolSelection.of(url.slice(at + 1));
      },
      // A browser's session is none of an agent's credentials.
      authenticate: ({ request }) =>
        request.headers.authorization === undefined ? undefined : admission.authenticator.authenticate(request, resources),
      route: { notApplicable: 'mcp answers an unknown method or tool, as JSON-RPC' },
      role: { notApplicable: 'mcp refuses a tool to a principal in a sentence that its model reads' },
      needsNoOrganization: () => false,
      body: readMessage,
      isWrite: ({ message }) => message !== undefined && isWrite(message),
      isStream: ({ message, request }) => message !== undefined && progressTokenOf(message, request.headers) !== undefined,
    });
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.method === 'OPTIONS') return void answerPreflight(response);
    const exchange: McpExchange = { request, response, requestId: newRequestId(), startedAt: performance.now(), operation: 'mcp' };
    response.once('close', () => recordRequest(exchange, this.#parts.requestLog));
    this.#serve(exchange).catch((error: unknown) => this.#refuse(exchange, error));
  };

  async #serve(exchange: McpExchange): Promise<void> {
    await this.#admit(exchange);
    const { request, credential, agent: name, selection = ToolSelection.none } = exchange;
    const { message, body } = exchange as McpExchange & Required<Pick<McpExchange, 'message' | 'body'>>;
    // The service gets the principal in place of the credential, which is never passed on.
    const principal = credential === undefined ? anonymous : { ...credential.principal, agent: name };
    const { timeoutMs } = this.#parts;
    // Other credentials are refused by mcp.
    const isAgent = principal.kind === 'api_key' || principal.kind === 'oauth_token';
    const readCall = isAgent && selection.isDefault ? readCallOf(message, request.headers) : undefined;
    assertScope(exchange, selection);
    const own = readCall && (await this.#run(readCall, message.id, callerOf(exchange, principal, Math.round(timeoutMs * toolShare))));
    const caller = callerOf(exchange, principal, timeoutMs);
    const answer = own ?? (await this.#answer(message, { body, selection }, request.headers, caller));
    if (answer.outcome_code) {
      exchange.outcome = answer.outcome_status;
      exchange.code = answer.outcome_code;
    }
    const token = progressTokenOf(message, request.headers);
    if (token !== undefined && (await this.#progress.send(exchange, answer.json, token, caller))) return;
    this.#send(exchange, answer, message.method === 'initialize' ? ['Mcp-Session-Id', sessionIdOf(name)] : noHeaders);
  }

  /** Runs a tool that reads, and frames its result as mcp does. Undefined if mcp is to answer. */
  async #run({ tool, arguments: given }: ReadCall, id: McpMessage['id'], caller: Caller): Promise<McpAnswer | undefined> {
    const isAsked = this.#switches.asksFirst(caller, tool.name);
    if (isAsked instanceof Promise ? await isAsked : isAsked) return undefined;
    const context: { readonly caller: Caller; error?: AppError } = { caller };
    const result = await callTool(this.#reads.noting(tool), given, context, this.#switches);
    const { status: outcome_status, code: outcome_code } = context.error ?? {};
    // Identity of the release before tells the switches to mcp alone. A key without the permission hears the same.
    if (outcome_code === 'permission_missing') return undefined;
    return {
      status: 200,
      json: Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`),
      outcome_status,
      outcome_code,
    };
  }

  /** Asks mcp, or repeats an answer that it shares. Rejects with the `AppError` of the call. */
  async #answer(message: McpMessage, { body, selection }: Sent, headers: IncomingHttpHeaders, caller: Caller): Promise<McpAnswer> {
    const key = selection.isDefault ? this.#shared.keyOf(message, body, headers, caller.principal.org_id) : undefined;
    const known = key === undefined ? undefined : this.#shared.find(key, message.id);
    if (known !== undefined) return known;
    const askedAt = performance.now();
    const sent = {
      json: body,
      ...(!selection.isDefault && { tool_selection: selection.text }),
      // What a client speaks before it has negotiated means nothing yet.
      ...(!isNegotiating(message) && {
        protocol_version: headers['mcp-protocol-version'] as string | undefined,
        method: headers['mcp-method'] as string | undefined,
        name: headers['mcp-name'] as string | undefined,
      }),
    };
    const { principal } = caller;
    const delegation = principal === anonymous ? undefined : delegationOf(principal, 'mcp');
    const delegated = { ...caller, delegation: delegation instanceof Promise ? await delegation : delegation };
    const { reply } = await callForReply(isWrite(message) ? 'mcp.AnswerWrite' : 'mcp.Answer', sent, delegated);
    if (key !== undefined) this.#shared.keep(key, reply, askedAt);
    return reply;
  }

  #send(exchange: Exchange, { status, start = '', json }: McpAnswer, headers: readonly string[]): void {
    const { response } = exchange;
    if (response.destroyed) return;
    const length = Buffer.byteLength(start) + json.byteLength;
    const fixed = length === 0 ? readable : jsonHeaders;
    this.#parts.responses.begin(exchange, status, ['Content-Length', String(length), ...headers], fixed);
    response.cork(); // One write for both parts, until the end.
    if (start !== '') response.write(start);
    response.end(json);
  }

  /** Refuses as JSON-RPC, with the id of the message if it is known, and says where a client gets a token. */
  #refuse(exchange: McpExchange, error: unknown): void {
    const { response, requestId, rateLimitState, message } = exchange;
    const shown = error instanceof AppError ? error : new AppError('internal', [], { cause: error });
    if (shown.code === 'internal') logger.error({ err: error, request_id: requestId }, 'MCP request failed');
    exchange.code = shown.code;
    const headers = [...(exchange.refusalHeaders ?? noHeaders), 'X-Request-Id', requestId];
    if (rateLimitState !== undefined) headers.push(...this.#parts.responses.rateLimitHeaders(rateLimitState));
    if (shown.code === 'rate_limited') headers.push('Retry-After', String(retryAfter(shown.code, rateLimitState)));
    if (shown.status === 401 || shown.code === 'insufficient_scope') {
      headers.push('WWW-Authenticate', challengeFor(shown, exchange, exchange.origin ?? this.#parts.origin));
    }
    sendError(response, shown, message?.id ?? null, headers, requestId);
  }
}

/** A message, and the tools of the address that it was sent to. */
interface Sent {
  readonly body: Buffer;
  readonly selection: ToolSelection;
}

/** Reads the message and what its agent calls itself. Throws what is wrong with it, or `missing_credential`. */
async function readMessage(exchange: McpExchange): Promise<void> {
  const { request, credential } = exchange;
  if (request.method !== 'POST') {
    exchange.refusalHeaders = ['Allow', 'POST'];
    throw new AppError('method_not_allowed');
  }
  const { project_id } = credential?.principal ?? {};
  if (project_id !== undefined) exchange.selection = (exchange.selection ?? ToolSelection.none).within(project_id);
  assertMediaType(request);
  const body = await readBody(request);
  const message = messageIn(body);
  exchange.body = body;
  exchange.message = message;
  exchange.route = shownName(message);
  exchange.operation = `mcp ${exchange.route}`;
  const { name: stated, isUnknown } = agentOf(message.method, message.params, request.headers);
  if (isUnknown) throw new AppError('agent_session_not_found');
  if (credential === undefined && needsToken(message)) throw new AppError('missing_credential');
  // The name that an OAuth client registered goes before one that it states now.
  const name = credential?.principal.agent ?? stated;
  if (name !== undefined) exchange.agent = name;
}
