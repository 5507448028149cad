import type { IncomingHttpHeaders } from 'node:http';
import { type PreparedTool, tools } from '@webkiln/agent-tools';
import type { McpMessage } from './mcp-message.ts';

/** A call of a tool that changes nothing. */
export interface ReadCall {
  readonly tool: PreparedTool;
  readonly arguments: Fields | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Revisions in which neither a header nor an envelope says anything about a call. */
const revisions: ReadonlySet<unknown> = new Set([undefined, '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']);
const callFields: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (id: unknown): boolean => typeof id === 'string' || Number.isSafeInteger(id);
const isProgressToken = ([name, value]: [string, unknown]): boolean => name === 'progressToken' && isId(value);
const isFlat = (fields: Fields): boolean => Object.values(fields).every((value) => typeof value !== 'object' || value === null);

/**
 * The call, if the gateway can run it as mcp would: it reads, and has no fields but those that every client sends, with
 * values of their types and no level more. Everything in doubt is left to mcp.
 */
export function readCallOf({ whole, params, tool: name }: McpMessage, headers: IncomingHttpHeaders): ReadCall | undefined {
  const tool = name === undefined ? undefined : tools.get(name);
  if (!tool?.isRead || !revisions.has(headers['mcp-protocol-version'])) return undefined;
  if (whole.jsonrpc !== '2.0' || !isId(whole.id) || Object.keys(whole).length !== 4) return undefined;
  const { arguments: given, _meta: meta } = params as { readonly arguments?: unknown; readonly _meta?: unknown };
  if (!Object.keys(params as Fields).every((field) => callFields.has(field))) return undefined;
  if (meta !== undefined && !(isObject(meta) && Object.entries(meta).every(isProgressToken))) return undefined;
  if (given === undefined) return { tool, arguments: given };
  return isObject(given) && isFlat(given) && !Object.hasOwn(given, '__proto__') ? { tool, arguments: given } : undefined;
}
