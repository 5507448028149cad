import { ErrorCode, NatsError } from 'nats';

/** Nobody listens; a stream that refuses (full, say) has the same code, but says why. */
export const isStreamMissing = (error: unknown): boolean =>
  error instanceof NatsError && error.code === ErrorCode.NoResponders && error.api_error === undefined;
