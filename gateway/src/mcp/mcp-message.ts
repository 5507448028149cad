import { hash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { AppError, allTools, operations } from '@webkiln/contract';
import { parseJson } from '@webkiln/operations';
import type { IncomingReply } from '@webkiln/rpc';
import { LRUCache } from 'lru-cache';
import { exposed } from '../api/response-writer.ts';
import { readable } from './mcp-address.ts';

const clientInfoKey = 'io.modelcontextprotocol/clientInfo';
/** States the revision of a message since 2026-07-28, which negotiates no more. */
const revisionKey = 'io.modelcontextprotocol/protocolVersion';

/** The parameters of a message, as far as they name the client. */
interface AgentParams {
  readonly clientInfo?: { readonly name?: unknown };
  readonly _meta?: { readonly [clientInfoKey]?: { readonly name?: unknown }; readonly [revisionKey]?: unknown };
}

/** A message as far as the gateway reads it. */
export interface McpMessage {
  /** Empty for a response. */
  readonly method: string;
  readonly id: string | number | null;
  readonly params: AgentParams | undefined;
  /** The tool that it calls, if there is such a tool. */
  readonly tool: string | undefined;
  /** All of it, parsed. A message may be nested deeper than what calls itself for each level can take. */
  readonly whole: Readonly<Record<string, unknown>>;
}

/** Methods that work on the organization's data. All others answer the same to everybody. */
const methodsWithToken: ReadonlySet<string> = new Set(['tools/call', 'resources/read']);
const knownMethods: ReadonlySet<string> = new Set([
  ...methodsWithToken,
  ...['initialize', 'ping', 'server/discover', 'notifications/initialized', 'notifications/cancelled'],
  ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'prompts/get'],
]);

const tools: ReadonlySet<unknown> = new Set(Object.keys(allTools));
const writingTools: ReadonlySet<string> = new Set(
  Object.keys(allTools).filter((name) => operations[allTools[name]?.operation ?? '']?.method !== 'GET'),
);

export const needsToken = ({ method }: McpMessage): boolean => methodsWithToken.has(method);

/** True for a client that asks which revision to speak: what its headers state already means nothing. */
export const isNegotiating = ({ method, params }: McpMessage): boolean =>
  method === 'initialize' && params?._meta?.[revisionKey] === undefined;

/** True for a call of a tool that changes something. */
export const isWrite = ({ tool }: McpMessage): boolean => tool !== undefined && writingTools.has(tool);

/** How logs and metrics show a message: `tools/call get_project`. A text of the caller's own choice is not in it. */
export function shownName({ method, tool }: McpMessage): string {
  if (!knownMethods.has(method)) return 'other';
  return tool === undefined ? method : `${method} ${tool}`;
}

const batchRefused = { path: '', message: 'Send one message in a request, not a batch' };

/** Reads a body. Throws `malformed_json` or `validation_failed` unless it is one JSON object. */
export function messageIn(body: Buffer): McpMessage {
  const value = parseJson(body);
  if (Array.isArray(value)) throw new AppError('validation_failed', [batchRefused]);
  if (typeof value !== 'object' || value === null) throw new AppError('malformed_json');
  const whole = value as Readonly<Record<string, unknown>>;
  const { method, id, params } = whole;
  const fields = typeof params === 'object' && params !== null ? (params as AgentParams & { readonly name?: unknown }) : undefined;
  return {
    method: typeof method === 'string' ? method : '',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    params: fields,
    tool: method === 'tools/call' && tools.has(fields?.name) ? (fields?.name as string) : undefined,
    whole,
  };
}

const maxNameLength = 100;
const prefix = 'mcp-';
const checksumLength = 8;

/**
 * The name that the client gives itself, in this message, in its session id or as its user agent. `isUnknown` if the
 * session id is not ours.
 */
export function agentOf(
  method: string,
  params: AgentParams | undefined,
  headers: IncomingHttpHeaders,
): { name?: string; isUnknown?: true } {
  const named =
    plainName(params?._meta?.[clientInfoKey]?.name) ?? (method === 'initialize' ? plainName(params?.clientInfo?.name) : undefined);
  const name = named ?? plainName(headers['user-agent']);
  const session = headers['mcp-session-id'];
  if (method === 'initialize' || named !== undefined || typeof session !== 'string') return name === undefined ? {} : { name };
  const known = nameInSession(session);
  if (known === undefined) return { isUnknown: true };
  const inSession = plainName(known) ?? name;
  return inSession === undefined ? {} : { name: inSession };
}

/** A text that a client chose, fit for logs; undefined if nothing is left of it. */
function plainName(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const plain = [
    ...text
      .toWellFormed()
      .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .trim(),
  ]
    .slice(0, maxNameLength)
    .join('')
    .trim();
  return plain === '' ? undefined : plain;
}

const checksum = (name: string) => hash('sha256', `${prefix}${name}`, 'base64url').slice(0, checksumLength);

/**
 * The session id of a client: its name. Before the revision 2026-07-28 clients name themselves once, and send the
 * session id afterwards. So every gateway knows the name of every client, and none keeps a session.
 */
export const sessionIdOf = (name = ''): string => `${prefix}${Buffer.from(name).toString('base64url')}.${checksum(name)}`;

/** The name in a session id; undefined for an id that is not ours. */
function nameInSession(id: string): string | undefined {
  if (!id.startsWith(prefix)) return undefined;
  const name = Buffer.from(id.slice(prefix.length, id.lastIndexOf('.')), 'base64url').toString();
  return sessionIdOf(name) === id ? name : undefined;
}

/** Together with the age of the switches of agents in mcp: less than the two seconds that owners are promised. */
const keptMs = 900;
const maxEntries = 10_000;
const maxBytes = 16 * 1024 * 1024;
/** Messages that everybody sends are small. Larger ones are not looked into: they may be nested too deeply. */
const maxMessageBytes = 1024;
const maxKeyLength = 2048;

/** Methods whose answers mcp may share. */
const sharedMethods: ReadonlySet<string> = new Set([
  ...['ping', 'server/discover', 'tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'],
]);

interface SharedAnswer {
  readonly status: number;
  /** The text after the id. */
  readonly rest: Buffer;
  /** By `performance.now()`. */
  readonly until: number;
}

/** The answers that mcp gives to everybody in an organization alike. Each is repeated for a second. */
export class SharedAnswers {
  readonly #answers = new LRUCache<string, SharedAnswer>({
    max: maxEntries,
    maxSize: maxBytes,
    sizeCalculation: ({ rest }, key) => rest.byteLength + key.length * 2,
  });

  /** The key that equal messages of an organization share; undefined for a message whose answer is not shared. */
  keyOf({ method, id, whole }: McpMessage, body: Buffer, headers: IncomingHttpHeaders, orgId: string | undefined): string | undefined {
    if (!sharedMethods.has(method) || body.byteLength > maxMessageBytes || id === null) return undefined;
    const { id: _id, ...content } = whole;
    const read = [orgId ?? '', headers['mcp-protocol-version'], headers['mcp-method'], headers['mcp-name'], content];
    const key = JSON.stringify(read);
    return key.length > maxKeyLength ? undefined : key;
  }

  /** The answer to the message with this id, in two parts: the second one is too large to be copied each time. */
  find(key: string, id: McpMessage['id']): { readonly status: number; readonly start: string; readonly json: Buffer } | undefined {
    const found = this.#answers.get(key);
    if (found === undefined || found.until <= performance.now()) return undefined;
    return { status: found.status, start: `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`, json: found.rest };
  }

  /** `askedAt`: when mcp was asked, by `performance.now()`. */
  keep(key: string, { status, json, shared_from }: IncomingReply<'mcp.Answer'>, askedAt: number): void {
    if (shared_from === 0) return;
    // A copy: the reply is part of a larger message.
    this.#answers.set(key, { status, rest: Buffer.from(json.subarray(shared_from)), until: askedAt + keptMs });
  }
}

const parseError = -32700;
const invalidRequest = -32600;
const internalError = -32603;
const refused = -32000;

const jsonRpcCode = ({ code, status }: AppError): number => {
  if (code === 'malformed_json') return parseError;
  if (status >= 500) return internalError;
  return status === 400 ? invalidRequest : refused;
};

/** Sends an error as JSON-RPC 2.0 (§5.1) with its HTTP status. `headers`: alternating names and values. */
export function sendError(
  response: ServerResponse,
  error: AppError,
  id: McpMessage['id'],
  headers: readonly string[],
  requestId: string,
): void {
  if (response.headersSent || response.destroyed) return;
  const data = { code: error.code, request_id: requestId };
  const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code: jsonRpcCode(error), message: error.message, data } });
  if (error.status === 429 || error.status === 503) response.setHeader('Retry-After', '1');
  const all = [...readable, 'Access-Control-Expose-Headers', exposed, ...headers];
  for (let at = 0; at < all.length; at += 2) response.setHeader(all[at] as string, all[at + 1] as string);
  response.writeHead(error.status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }).end(body);
}
