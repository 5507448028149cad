import { ErrorCode, NatsError } from 'nats';

/** No stream has the subject. A stream that refuses (when full, say) has the same code, but a description. */
export const isStreamMissing = (error: unknown): boolean =>
  error instanceof NatsError && error.code === ErrorCode.NoResponders && error.api_error === undefined;
