import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';

/** One request, as the handlers of the protocol see it. */
export interface CallContext {
  /** Undefined if the request has no credential. */
  readonly caller: Caller | undefined;
  /** Its signal aborts when nobody waits for the answer any more; it is made when it is first read. */
  readonly lifetime: { readonly signal: AbortSignal };
  /** The error that the result tells the agent, for the request log. */
  error?: AppError;
  /** Why the request has no answer for now: a part of the platform is away. */
  unavailable?: AppError;
}

/** Runs a handler. The SDK answers what it throws as a defect, so a part that is away is noted for our own refusal. */
export async function noting<T>(context: CallContext, handler: () => Promise<T>): Promise<T> {
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
