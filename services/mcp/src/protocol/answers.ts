import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import type { ToolSelection } from '@webkiln/agent-tools';
import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';

/** The response to a message. */
export interface Answer {
  /** The status of the HTTP response. */
  readonly status: number;
  /** One JSON-RPC response; empty if there is none. */
  readonly json: string;
  /** The byte after the id, if what follows is the same, for a moment, to messages that differ in their id alone. */
  readonly sharedFrom?: number;
}

/** The headers of a request that its message is checked against. */
export interface MessageHeaders {
  readonly protocolVersion?: string | undefined;
  readonly method?: string | undefined;
  readonly name?: string | undefined;
}

export const parseError = -32_700;
export const invalidRequest = -32_600;

/** The error as JSON-RPC 2.0 (§5.1), for the message `body` if it has an id. */
export function errorAnswer(status: number, code: number, message: string, body?: unknown, data?: unknown): Answer {
  const error = { code, message, ...(data !== undefined && { data }) };
  return { status, json: JSON.stringify({ jsonrpc: '2.0', id: idOf(body), error }) };
}

function idOf(body: unknown): string | number | null {
  const { id } = (body ?? {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** One request, as the handlers of the protocol see it. */
export interface CallContext {
  /** Undefined if the request has no credential. */
  readonly caller: Caller | undefined;
  /** The tools that the address of the connection asks for. */
  readonly selection: ToolSelection;
  /** The only project of the connection, if its address names one. */
  readonly projectId: string | undefined;
  /** The platform's public address. */
  readonly origin: string;
  /** Set if the client can ask its person; what the person answered, and to which question. */
  elicitation?: { readonly question_id?: string; readonly answer?: 'accept' | 'decline' | 'cancel' };
  /** Its signal aborts when nobody waits for the answer any more; it is made when it is first read. */
  readonly lifetime: { readonly signal: AbortSignal };
  /** The error that the result tells the agent, for the request log. */
  error?: AppError;
  /** Why the request has no answer for now: a part of the platform is away. */
  unavailable?: AppError;
}

/** Runs a handler. The SDK answers what it throws as a defect, so a part that is away is noted for our own refusal. */
export async function recordingUnavailable<T>(context: CallContext, handler: () => Promise<T>): Promise<T> {
  try {
    return await handler();
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unavailable') context.unavailable = error;
    throw error;
  }
}

/** Carries the context through the SDK, which passes it on unread. The credential itself stays in the gateway. */
export const authInfoOf = (context: CallContext): AuthInfo => ({ token: '', clientId: '', scopes: [], extra: { context } });

export const contextOf = ({ http }: ServerContext): CallContext => http?.authInfo?.extra?.context as CallContext;
