import { ErrorCode, NatsError } from 'nats';

/** True if no stream has the subject. A stream that refuses, for example because it is full, also has a description. */
export const isStreamMissing = (error: unknown): boolean =>
  error instanceof NatsError && error.code === ErrorCode.NoResponders && error.api_error === undefined;
