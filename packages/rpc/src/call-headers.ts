import type { Caller } from './caller.ts';
import { Incoming } from './incoming.ts';
import type { Headers } from './outcome.ts';

/**
 * What travels beside the request; the same names as metadata of plain gRPC. What makes one request repeatable or conditional is not
 * passed on with the calls that it leads to.
 */
export function headersOf(caller: Caller, traceparent: string | undefined): Headers {
  const headers: { [name: string]: string } = { 'request-id': caller.requestId };
  if (traceparent !== undefined) headers.traceparent = traceparent;
  if (caller instanceof Incoming) return headers;
  const { idempotency, ifMatch } = caller;
  if (ifMatch !== undefined) headers['if-match'] = ifMatch;
  if (idempotency !== undefined) {
    headers['idempotency-id'] = idempotency.id;
    headers['idempotency-body'] = idempotency.body;
    if (idempotency.explicit) headers['idempotency-explicit'] = '1';
  }
  return headers;
}
