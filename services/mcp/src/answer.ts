import type { Caller, IncomingCaller } from '@webkiln/messages';
import { handle, type IncomingRequest, type ReplyOf, type UseCase } from '@webkiln/rpc';
import { type Answer, type CallContext, errorAnswer, invalidRequest, parseError } from './protocol/answers.ts';
import { type FastPath, plainMessage } from './protocol/fast-path.ts';
import type { SdkHandler } from './protocol/sdk-handler.ts';

export interface Handlers {
  readonly fastPath: FastPath;
  /** Takes what the fast path does not. */
  readonly sdkHandler: SdkHandler;
}

/** The share of a message's time that a tool gets: the rest is to tell the agent that it took too long. */
const toolShare = 0.9;

/**
 * Answers one JSON-RPC message of an agent. A caller that is no key and no token has no credential. Throws
 * `unavailable` if what it asks about is away; a tool says so in its result.
 */
export async function answer(
  handlers: Handlers,
  { json, protocol_version, method, name }: IncomingRequest<'mcp.Answer'>,
  caller: IncomingCaller,
): Promise<ReplyOf<'mcp.Answer'>> {
  if (isDeep(json)) {
    return replyOf(errorAnswer(400, invalidRequest, `The message is nested too deeply: ${maxDepth} levels are the most.`));
  }
  const body = parsed(json);
  if (body === undefined) return replyOf(errorAnswer(400, parseError, 'The body is not one JSON object of JSON-RPC 2.0.'));
  const headers = { protocolVersion: protocol_version, method, name };
  const context: CallContext = { caller: callerOfTools(caller), lifetime: caller };
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
    return JSON.parse(json.toString());
  } catch {
    return undefined;
  }
}

/** For the calls of tools. Undefined without a credential. */
function callerOfTools(caller: IncomingCaller): Caller | undefined {
  const { principal, requestId, deadlineAt, traceparent, delegation } = caller;
  if (principal.kind === 'service') return undefined;
  const now = Date.now();
  return {
    principal,
    requestId,
    deadlineAt: now + Math.round((deadlineAt - now) * toolShare),
    traceparent,
    delegation,
    onCancel: (cancel) => caller.onCancel?.(cancel),
  };
}

/** The use cases of agents' messages. */
export const messageUseCases = (handlers: Handlers): UseCase[] => [
  handle('mcp.Answer', (message, caller) => answer(handlers, message, caller)) as UseCase,
  handle('mcp.AnswerWrite', (message, caller) => answer(handlers, message, caller)) as UseCase,
];

/** Far more than any message has. Parsers and validators call themselves for each level. */
export const maxDepth = 64;

const [quote, backslash, openBracket, openBrace, closeBracket, closeBrace] = [...'"\\[{]}'].map((character) => character.charCodeAt(0));

/** True for JSON with more than 64 levels. One pass over the bytes; malformed JSON is left to the parser. */
export function isDeep(json: Uint8Array): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (isInString) {
      if (byte === backslash) at++;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) isInString = true;
    else if (byte === openBrace || byte === openBracket) {
      if (++depth > maxDepth) return true;
    } else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return false;
}
