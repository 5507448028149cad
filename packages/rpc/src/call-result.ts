import { status } from '@grpc/grpc-js';
import { AppError, type ErrorCode, type ErrorDetail, errorCatalogue, kinds } from '@webkiln/contract';

export type Headers = { readonly [name: string]: string };

/** How a call ended, as it crosses the wire. */
export interface Outcome {
  /** google.rpc.Code */
  readonly status: number;
  readonly details: string;
  readonly metadata: Headers;
  /** The encoded reply; empty unless the status is OK. */
  readonly payload: Uint8Array;
}

/** A decoded reply; `replayed` when it is the one of an earlier attempt. */
export interface AnyReply {
  readonly reply: object;
  readonly replayed: boolean;
}

const nothing = new Uint8Array();
const plain: Headers = {};
const replayedHeaders: Headers = { replayed: '1' };

export const success = (payload: Uint8Array, replayed: boolean): Outcome => ({
  status: status.OK,
  details: '',
  metadata: replayed ? replayedHeaders : plain,
  payload,
});

/** A call that ended by the wire's own rules, before or beside a use case. */
export const failure = (code: number, details: string): Outcome => ({ status: code, details, metadata: plain, payload: nothing });

/** What a use case threw: its code and details cross whole. */
export function failureOf(error: AppError): Outcome {
  const metadata: { [name: string]: string } = { 'error-code': error.code };
  if (error.replayed) metadata.replayed = '1';
  if (error.details.length > 0) metadata['error-details'] = JSON.stringify(error.details);
  return { status: kinds[error.kind].grpc, details: error.message, metadata, payload: nothing };
}

/** The error that the caller meets. */
export function errorOf({ status: code, details, metadata }: Outcome): AppError {
  const named = metadata['error-code'];
  if (named !== undefined && Object.hasOwn(errorCatalogue, named)) {
    const stated = JSON.parse(metadata['error-details'] ?? '[]') as ErrorDetail[];
    return new AppError(named as ErrorCode, stated, { replayed: metadata.replayed === '1' });
  }
  return new AppError(unnamed(code), [], { cause: new Error(`gRPC status ${code} ${status[code] ?? ''}: ${details}`) });
}

function unnamed(code: number): ErrorCode {
  if (code === status.UNAVAILABLE || code === status.DEADLINE_EXCEEDED || code === status.CANCELLED) return 'unavailable';
  return code === status.RESOURCE_EXHAUSTED ? 'overloaded' : 'internal';
}
