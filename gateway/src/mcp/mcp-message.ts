import { AppError, agentToolNames, agentTools, operations } from '@webkiln/contract';
import { parseJson } from '../api/read-body.ts';
import type { AgentParams } from './agent-session.ts';

/** A message as far as the gateway reads it. */
export interface McpMessage {
  /** Empty for a response. */
  readonly method: string;
  readonly id: string | number | null;
  readonly params: (AgentParams & { readonly name?: unknown }) | undefined;
  /** All of it, parsed. A message may be nested deeper than what calls itself for each level can take. */
  readonly whole: Readonly<Record<string, unknown>>;
}

/** What works on the organization's data. Everything else is the same for everybody. */
const methodsWithToken: ReadonlySet<string> = new Set(['tools/call', 'resources/read']);
const knownMethods: ReadonlySet<string> = new Set([
  ...methodsWithToken,
  ...['initialize', 'ping', 'server/discover', 'notifications/initialized', 'notifications/cancelled'],
  ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'prompts/get'],
]);

export const needsToken = ({ method }: McpMessage): boolean => methodsWithToken.has(method);

/** True for a call of a tool that changes something. */
export const isWrite = (message: McpMessage): boolean => {
  const tool = calledTool(message);
  return tool !== undefined && operations[agentTools[tool].operation]?.method !== 'GET';
};

const calledTool = ({ method, params }: McpMessage) =>
  method === 'tools/call' ? agentToolNames.find((name) => name === params?.name) : undefined;

/** How logs and metrics show a message: `tools/call get_project`. A text of the caller's own choice is not in it. */
export function shownName(message: McpMessage): string {
  const { method } = message;
  if (!knownMethods.has(method)) return 'other';
  const tool = calledTool(message);
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
  return {
    method: typeof method === 'string' ? method : '',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    params: typeof params === 'object' && params !== null ? params : undefined,
    whole,
  };
}
