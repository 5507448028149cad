import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, Principal } from '@webkiln/messages';
import type { RateLimitState } from '../rate-limit/local-limiter.ts';
import { onDisconnect } from './on-disconnect.ts';

/** One API request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly startedAt: number;
  /** Name of the API operation (`createProject`), for logs and metrics. */
  operation: string;
  rateLimitState?: RateLimitState;
  /** Ends its place among the credential's requests in flight before its response ends. */
  releaseSlot?: () => void;
  /** Path template of the contract: `/projects/{projectId}`. */
  route?: string;
  /** Set once the credential is verified. */
  principal?: Principal;
  /** Error code of the response. */
  code?: string;
  /** The status for the log, where that of the response does not say it. */
  outcome?: number;
  /** The name that an agent's program gives itself. */
  agent?: string;
}

/** The caller of the RPC that serves an exchange, from now on. A client that disconnects cancels the call. */
export function callerOf({ request, response, requestId }: Exchange, principal: Principal, timeoutMs: number, ifMatch?: string): Caller {
  return {
    principal,
    requestId,
    deadlineAt: Date.now() + timeoutMs,
    ifMatch,
    traceparent: request.headers.traceparent as string | undefined,
    onCancel: (cancel) => onDisconnect(response, cancel),
  };
}
