import { classifyInboundRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { callTool, type PreparedTool, ToolSelection, toolShare } from '@webkiln/agent-tools';
import type { Caller, IncomingCaller } from '@webkiln/messages';
import { handle, type IncomingRequest, type ReplyOf, type UseCase } from '@webkiln/rpc';
import { switches } from './agent-switches.ts';
import { guarded } from './guard/guarded.ts';
import type { Guides } from './guides.ts';
import { type Answer, type CallContext, errorAnswer, invalidRequest, type MessageHeaders, parseError } from './protocol/answers.ts';
import { isDeep, maxDepth } from './protocol/depth.ts';
import { servedHere, toolOf } from './protocol/handlers.ts';
import type { SdkHandler } from './protocol/sdk-handler.ts';

export interface Handlers {
  /** The platform's public address. */
  readonly origin: string;
  readonly fastPath: FastPath;
  /** Takes what the fast path does not. */
  readonly sdkHandler: SdkHandler;
}

/**
 * Answers one JSON-RPC message of an agent. A caller that is no key and no token has no credential. Throws
 * `unavailable` if what it asks about is away; a tool says so in its result.
 */
export async function answer(
  handlers: Handlers,
  { json, protocol_version, method, name, tool_selection }: IncomingRequest<'mcp.Answer'>,
  caller: IncomingCaller,
): Promise<ReplyOf<'mcp.Answer'>> {
  if (isDeep(json)) {
    return replyOf(errorAnswer(400, invalidRequest, `The message is nested too deeply: ${maxDepth} levels are the most.`));
  }
  const body = parsed(json);
  if (body === undefined) return replyOf(errorAnswer(400, parseError, 'The body is not one JSON object of JSON-RPC 2.0.'));
  const headers = { protocolVersion: protocol_version, method, name };
  const selection = ToolSelection.of(tool_selection ?? '');
  const context: CallContext = {
    caller: callerOfTools(caller),
    lifetime: caller,
    selection,
    projectId: selection.projectId,
    origin: handlers.origin,
  };
  const plain = plainMessage(body, headers);
  const fast = plain && (await handlers.fastPath.answer(plain, context));
  const answered = fast ?? (await handlers.sdkHandler.answer(body, headers, context));
  if (context.unavailable !== undefined) throw context.unavailable;
  return replyOf(answered, context);
}

function replyOf({ status, json, sharedFrom = 0 }: Answer, { error }: Partial<CallContext> = {}): ReplyOf<'mcp.Answer'> {
  return { status, json: Buffer.from(json), shared_from: sharedFrom, outcome_status: error?.status ?? 0, outcome_code: error?.code ?? '' };
}

function parsed(json: Buffer): unknown {
  try {
    return withoutEmpty(JSON.parse(json.toString()));
  } catch {
    return undefined;
  }
}

/**
 * The message without parameters that say nothing. Several languages write what is not there as null, and PHP an empty
 * object as an empty list.
 */
function withoutEmpty(body: unknown): unknown {
  if (!isObject(body) || !('params' in body)) return body;
  const { params, ...message } = body;
  if (saysNothing(params)) return message;
  if (!isObject(params)) return body;
  const said = Object.entries(params).filter(([name, value]) => value !== null && !(name === 'arguments' && saysNothing(value)));
  return said.length === Object.keys(params).length ? body : { ...message, params: Object.fromEntries(said) };
}

const saysNothing = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);

/** For the calls of tools. Undefined without a credential. */
function callerOfTools(caller: IncomingCaller): Caller | undefined {
  const { principal, requestId, deadlineAt, traceparent, network, delegation } = caller;
  if (principal.kind === 'service') return undefined;
  const now = Date.now();
  return {
    principal,
    requestId,
    deadlineAt: now + Math.round((deadlineAt - now) * toolShare),
    traceparent,
    network,
    delegation,
    onCancel: (cancel) => caller.onCancel?.(cancel),
  };
}

/** The use cases of agents' messages. */
export const messageUseCases = (handlers: Handlers): UseCase[] => [
  handle('mcp.Answer', (message, caller) => answer(handlers, message, caller)) as UseCase,
  handle('mcp.AnswerWrite', (message, caller) => answer(handlers, message, caller)) as UseCase,
];

const modernRevision = '2026-07-28';

const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
const constantMethods: Readonly<Record<Era, readonly string[]>> = { legacy: ['ping', ...lists], modern: ['server/discover', ...lists] };

/**
 * Answers plain messages without a server of the SDK. What is always the same is the SDK's own answer, which it gave
 * once at start; the results of tools are framed like those answers.
 */
export class FastPath {
  /** JSON of results, by wire format and method. */
  readonly #constants: ReadonlyMap<string, string>;
  /** The text after the result of a tool, up to the closing brace. */
  readonly #afterToolResult: Readonly<Record<Era, string>>;
  readonly #guides: Guides;

  private constructor(constants: ReadonlyMap<string, string>, modernMeta: unknown, guides: Guides) {
    this.#constants = constants;
    this.#guides = guides;
    this.#afterToolResult = { legacy: '}', modern: `,"resultType":"complete","_meta":${JSON.stringify(modernMeta)}}` };
  }

  static async of(sdkHandler: SdkHandler, guides: Guides): Promise<FastPath> {
    const constants = new Map<string, string>();
    let modernMeta: unknown;
    for (const era of ['legacy', 'modern'] as const) {
      for (const method of constantMethods[era]) {
        const result = await askSdk(sdkHandler, era, method);
        constants.set(`${era} ${method}`, JSON.stringify(result));
        modernMeta = result._meta;
      }
    }
    return new FastPath(constants, modernMeta, guides);
  }

  /** Undefined if the SDK is to answer. */
  async answer({ era, id, method, tool }: PlainMessage, context: CallContext): Promise<Answer | undefined> {
    if (tool !== undefined) {
      const found = toolOf(tool.name, context);
      const known = found instanceof Promise ? await found : found;
      // Only the SDK tells what a client can ask its person.
      if (known === undefined || (era === 'modern' && (await mayAsk(known, context)))) return undefined;
      const result = await callTool(guarded(servedHere(known, this.#guides), context), tool.arguments, context, switches);
      return { status: 200, json: `${startOf(id)},"result":${result.slice(0, -1)}${this.#afterToolResult[era]}}` };
    }
    const constant = this.#constants.get(`${era} ${method}`);
    if (constant === undefined || (method === 'tools/list' && !(await mayUseAll(context)))) return undefined;
    if (method === 'prompts/list' && !context.selection.isDefault) return undefined;
    const start = startOf(id);
    return { status: 200, json: `${start},"result":${constant}}`, sharedFrom: Buffer.byteLength(start) };
  }
}

const mayAsk = (tool: PreparedTool, { caller, selection }: CallContext): boolean | Promise<boolean> =>
  (!selection.isDefault && !tool.isRead) || (caller !== undefined && switches.asksFirst(caller, tool.name));

const startOf = (id: string | number): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`;

async function mayUseAll({ caller, selection }: CallContext): Promise<boolean> {
  if (!selection.isDefault) return false;
  if (caller === undefined) return true;
  const { is_enabled, disabled_tools } = await switches.of(caller);
  return is_enabled && disabled_tools.length === 0;
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': modernRevision,
  'io.modelcontextprotocol/clientInfo': { name: 'webkiln', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

async function askSdk(sdkHandler: SdkHandler, era: Era, method: string): Promise<Record<string, unknown>> {
  const isModern = era === 'modern';
  const body = { jsonrpc: '2.0', id: 0, method, ...(isModern && { params: { _meta: envelope } }) };
  const headers = isModern ? { protocolVersion: modernRevision, method } : {};
  const { json } = await sdkHandler.answer(body, headers, {
    caller: undefined,
    lifetime: new AbortController(),
    selection: ToolSelection.none,
    projectId: undefined,
    origin: '',
  });
  const { result } = JSON.parse(json) as { result?: Record<string, unknown> };
  if (result === undefined) throw new Error(`the SDK does not answer ${method}: ${json}`);
  return result;
}

/** The wire formats: `legacy` until the revision 2025-11-25, `modern` since 2026-07-28. */
type Era = 'legacy' | 'modern';

/** A request whose meaning does not depend on the SDK: no fields but those that every client sends. */
interface PlainMessage {
  readonly era: Era;
  readonly id: string | number;
  readonly method: string;
  /** The tool that a tools/call names. */
  readonly tool: { readonly name: string; readonly arguments?: Fields } | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const legacyRevisions: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS);
const metaAlone: ReadonlySet<string> = new Set(['_meta']);
const callFields: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (id: unknown): id is string | number => typeof id === 'string' || Number.isSafeInteger(id);

function hasOnly(fields: Fields, allowed: ReadonlySet<string>): boolean {
  for (const name of Object.keys(fields)) if (!allowed.has(name)) return false;
  return true;
}

/** The message, if it is plain. Everything in doubt is not: the SDK decides what is wrong with it. */
export function plainMessage(body: unknown, headers: MessageHeaders): PlainMessage | undefined {
  if (!isObject(body)) return undefined;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0' || !isId(id) || typeof method !== 'string') return undefined;
  if (Object.keys(body).length !== (params === undefined ? 3 : 4)) return undefined;
  if (params !== undefined && !isObject(params)) return undefined;
  const isCall = method === 'tools/call';
  if (params !== undefined && !hasOnly(params, isCall ? callFields : metaAlone)) return undefined;
  const tool = isCall ? calledTool(params) : undefined;
  if (isCall && tool === undefined) return undefined;
  const era = eraOf(body, params, headers);
  if (era === undefined || (era === 'modern' && (headers.method !== method || headers.name !== tool?.name))) return undefined;
  return { era, id, method, tool };
}

function calledTool(params: Fields | undefined): PlainMessage['tool'] {
  const { name, arguments: given } = params ?? {};
  if (typeof name !== 'string') return undefined;
  if (given === undefined) return { name };
  // Validators drop this name.
  return isObject(given) && !Object.hasOwn(given, '__proto__') ? { name, arguments: given } : undefined;
}

function eraOf(body: Fields, params: Fields | undefined, { protocolVersion, method, name }: MessageHeaders): Era | undefined {
  const isLegacy = protocolVersion === undefined || legacyRevisions.has(protocolVersion);
  if (params?._meta === undefined) return isLegacy ? 'legacy' : undefined;
  const inbound = { httpMethod: 'POST', body, protocolVersionHeader: protocolVersion, mcpMethodHeader: method, mcpNameHeader: name };
  const route = classifyInboundRequest(inbound);
  if (route.kind === 'legacy') return isLegacy && route.reason === 'no-claim' ? 'legacy' : undefined;
  const isModern = route.kind === 'modern' && route.classification.revision === modernRevision && protocolVersion === modernRevision;
  return isModern ? 'modern' : undefined;
}
