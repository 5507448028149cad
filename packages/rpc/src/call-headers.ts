import type { Caller, Idempotency, IncomingCaller, Principal } from '@webkiln/messages';
import type { Headers } from './call-result.ts';
import type { Cancellation } from './cancellation.ts';

/**
 * The headers of an outgoing call, under the same names on the stream and in the metadata of plain gRPC.
 * `Idempotency-Key` and `If-Match` belong to one request; they are not forwarded with the calls that a handler makes
 * for its own caller.
 */
export function encodeHeaders(caller: Caller, traceparent: string | undefined): Headers {
  const headers: { [name: string]: string } = { 'request-id': caller.requestId };
  if (traceparent !== undefined) headers.traceparent = traceparent;
  if (caller instanceof DecodedCaller) return headers;
  const { idempotency, ifMatch } = caller;
  if (ifMatch !== undefined) headers['if-match'] = ifMatch;
  if (idempotency !== undefined) {
    headers['idempotency-id'] = idempotency.id;
    headers['idempotency-body'] = idempotency.body;
    if (idempotency.explicit) headers['idempotency-explicit'] = '1';
  }
  return headers;
}

function decodeIdempotency(headers: Headers): Idempotency | undefined {
  const id = headers['idempotency-id'];
  if (id === undefined) return undefined;
  return { id, body: headers['idempotency-body'] ?? '', explicit: headers['idempotency-explicit'] === '1' };
}

/** The caller of an incoming call, read from its headers. */
export class DecodedCaller implements IncomingCaller {
  readonly principal: Principal;
  readonly requestId: string;
  readonly deadlineAt: number;
  readonly idempotency: Idempotency | undefined;
  readonly ifMatch: string | undefined;
  readonly traceparent: string | undefined;
  readonly #cancellation: Cancellation;

  constructor(principal: Principal, headers: Headers, cancellation: Cancellation) {
    this.principal = principal;
    this.requestId = headers['request-id'] ?? '';
    this.deadlineAt = cancellation.deadlineAt;
    this.idempotency = decodeIdempotency(headers);
    this.ifMatch = headers['if-match'];
    this.traceparent = headers.traceparent;
    this.#cancellation = cancellation;
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }

  onCancel(cancel: () => void): void {
    this.#cancellation.onCancel(cancel);
  }
}
