/** What came of one request. Only `answered` has a status; a `reason` is a sentence for the person whose address it is. */
export type OutboundAnswer =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      /** The header as it came: seconds or an HTTP date. */
      readonly retryAfter: string | undefined;
      /** The first 1 KB of the body. */
      readonly response: string;
      readonly latencyMs: number;
    }
  | { readonly outcome: 'failed'; readonly reason: string; readonly latencyMs: number };
