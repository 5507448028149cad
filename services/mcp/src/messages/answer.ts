import type { Caller, IncomingCaller } from '@webkiln/messages';
import type { IncomingRequest, ReplyOf } from '@webkiln/rpc';
import { type Answer, errorAnswer, invalidRequest, parseError } from '../protocol/answers.ts';
import type { CallContext } from '../protocol/call-context.ts';
import { plainMessage } from '../protocol/plain-message.ts';
import type { SdkWay } from '../protocol/sdk-way.ts';
import type { ShortWay } from '../protocol/short-way.ts';
import { isDeep, maxDepth } from './depth.ts';

export interface Ways {
  readonly shortWay: ShortWay;
  /** Takes what the short way does not. */
  readonly sdkWay: SdkWay;
}

/** The share of a message's time that a tool gets: the rest is to tell the agent that it took too long. */
const toolShare = 0.9;

/**
 * Answers one JSON-RPC message of an agent. A caller that is no key and no token has no credential. Throws
 * `unavailable` if what it asks about is away; a tool says so in its result.
 */
export async function answer(
  ways: Ways,
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
  const short = plain && (await ways.shortWay.answer(plain, context));
  const answered = short ?? (await ways.sdkWay.answer(body, headers, context));
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
  const { principal, requestId, deadlineAt, traceparent } = caller;
  if (principal.kind === 'service') return undefined;
  const now = Date.now();
  return {
    principal,
    requestId,
    deadlineAt: now + Math.round((deadlineAt - now) * toolShare),
    traceparent,
    onCancel: (cancel) => caller.onCancel?.(cancel),
  };
}
