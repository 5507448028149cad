/** The result of one request. Only `answered` has a status; `reason` is a sentence for the owner of the address. */
export type OutboundAnswer =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      /** The header as received: seconds or an HTTP date. */
      readonly retryAfter: string | undefined;
      /** The first 1 KB of the body. */
      readonly response: string;
      readonly latencyMs: number;
    }
  | { readonly outcome: 'failed'; readonly reason: string; readonly latencyMs: number; readonly timedOut?: true };
