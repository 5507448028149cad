import { type AgentToolName, AppError, agentToolNames, agentTools, operations } from '@webkiln/contract';
import { parseJson } from '../api/read-body.ts';
import type { AgentParams } from './agent-session.ts';

/** A message as far as the gateway reads it. */
export interface McpMessage {
  /** Empty for a response. */
  readonly method: string;
  readonly id: string | number | null;
  readonly params: AgentParams | undefined;
  /** The tool that it calls, if there is such a tool. */
  readonly tool: AgentToolName | undefined;
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

const tools: ReadonlySet<unknown> = new Set(agentToolNames);
const writingTools: ReadonlySet<AgentToolName> = new Set(
  agentToolNames.filter((name) => operations[agentTools[name].operation]?.method !== 'GET'),
);

export const needsToken = ({ method }: McpMessage): boolean => methodsWithToken.has(method);

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
    tool: method === 'tools/call' && tools.has(fields?.name) ? (fields?.name as AgentToolName) : undefined,
    whole,
  };
}
