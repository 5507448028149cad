import { AppError } from '@webkiln/contract';
import { ErrorCode, NatsError } from 'nats';
import { TooFewServers } from './stream-replicas.ts';

/** What the client says of a server that is gone, going, silent, or up before its JetStream is. */
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
