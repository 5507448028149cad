import { AppError } from '@webkiln/contract';
import { type Consumer, ErrorCode, NatsError } from 'nats';
import { TooFewServers } from './persistent-stream.ts';

/** The client's errors for a server that is gone, going, silent, or up before its JetStream is. */
const away = new Set<string>([
  ...[ErrorCode.Timeout, ErrorCode.NoResponders, ErrorCode.Disconnect, ErrorCode.Cancelled],
  ...[ErrorCode.ConnectionClosed, ErrorCode.ConnectionDraining],
]);
/** A restart has lost the reader or the stream; JetStream has not found its leader yet, or has no room. */
const passing = new Set([404, 503]);

/** Asks JetStream for something. While NATS is away, or has too few servers, it throws `unavailable`. */
export async function askNats<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw isAway(error) ? new AppError('unavailable', [], { cause: error }) : error;
  }
}

function isAway(error: unknown): boolean {
  if (!(error instanceof NatsError)) return error instanceof TooFewServers;
  return error.api_error === undefined ? away.has(error.code) : passing.has(error.api_error.code);
}

/** True if no stream has the subject. A stream that refuses, for example because it is full, also has a description. */
export const isStreamMissing = (error: unknown): boolean =>
  error instanceof NatsError && error.code === ErrorCode.NoResponders && error.api_error === undefined;

/**
 * True if NATS has sent a consumer without acknowledgements more than the `delivered` messages that arrived. The next
 * message shows that by its sequence; for the last one of a stream only this does. Ask after a fetch that brought none.
 */
export async function hasLostMessage(consumer: Consumer, delivered: number): Promise<boolean> {
  return (await consumer.info()).delivered.consumer_seq !== delivered;
}
