import { classifyInboundRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { MessageHeaders } from './answers.ts';

/** The wire formats: `legacy` until the revision 2025-11-25, `modern` since 2026-07-28. */
export type Era = 'legacy' | 'modern';

/** A request whose meaning does not depend on the SDK: no fields but those that every client sends. */
export interface PlainMessage {
  readonly era: Era;
  readonly id: string | number;
  readonly method: string;
  /** The tool that a tools/call names. */
  readonly tool: { readonly name: string; readonly arguments?: Fields } | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

export const modernRevision = '2026-07-28';
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
