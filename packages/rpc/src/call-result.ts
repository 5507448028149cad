import { status } from '@grpc/grpc-js';
import { AppError, type ErrorCode, type ErrorDetail, errorCatalogue, kinds } from '@webkiln/contract';

export type Headers = { readonly [name: string]: string };

/** The result of a call as gRPC sends it: status, trailing metadata, encoded reply. */
export interface CallResult {
  /** google.rpc.Code */
  readonly status: number;
  readonly details: string;
  readonly metadata: Headers;
  /** The encoded reply; empty unless the status is OK. */
  readonly payload: Uint8Array;
}

/** `replayed` is true if an earlier attempt at the same request stored the reply. */
export interface DecodedReply {
  readonly reply: object;
  readonly replayed: boolean;
}

const nothing = new Uint8Array();
const plain: Headers = {};
const replayedHeaders: Headers = { replayed: '1' };

export const okResult = (payload: Uint8Array, replayed: boolean): CallResult => ({
  status: status.OK,
  details: '',
  metadata: replayed ? replayedHeaders : plain,
  payload,
});

/** A failure outside the use cases, without one of our error codes. `code` is a google.rpc.Code. */
export const failedResult = (code: number, details: string): CallResult => ({ status: code, details, metadata: plain, payload: nothing });

/** Keeps the error's code and details in the metadata, so that `resultToError` restores them. */
export function errorToResult(error: AppError): CallResult {
  const metadata: { [name: string]: string } = { 'error-code': error.code };
  if (error.replayed) metadata.replayed = '1';
  if (error.details.length > 0) metadata['error-details'] = JSON.stringify(error.details);
  return { status: kinds[error.kind].grpc, details: error.message, metadata, payload: nothing };
}

/** A failure without one of our error codes becomes `unavailable`, `overloaded` or `internal`. */
export function resultToError({ status: code, details, metadata }: CallResult): AppError {
  const named = metadata['error-code'];
  if (named !== undefined && Object.hasOwn(errorCatalogue, named)) {
    const stated = JSON.parse(metadata['error-details'] ?? '[]') as ErrorDetail[];
    return new AppError(named as ErrorCode, stated, { replayed: metadata.replayed === '1' });
  }
  return new AppError(unnamed(code), [], { cause: new Error(`gRPC status ${code} ${status[code] ?? ''}: ${details}`) });
}

/** Codes that say that this side asked wrongly. A service names each of its own failures, `internal` too. */
const callersFault = new Set<number>([status.UNIMPLEMENTED, status.UNAUTHENTICATED, status.PERMISSION_DENIED, status.INVALID_ARGUMENT]);

/** Other errors are the transport's: gRPC reports a broken stream as UNAVAILABLE, CANCELLED, INTERNAL or UNKNOWN. */
function unnamed(code: number): ErrorCode {
  if (code === status.RESOURCE_EXHAUSTED) return 'overloaded';
  return callersFault.has(code) ? 'internal' : 'unavailable';
}
