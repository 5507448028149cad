/** The program of the threads that read large bodies. */
import { readSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import { AppError, type ErrorCode, type ErrorDetail, operations } from '@webkiln/contract';
import type { Idempotency } from '@webkiln/messages';
import { idempotencyFor, prepareOperation, type Repeatable, requestFor } from '@webkiln/operations';
import { encodeRequest } from '@webkiln/rpc/methods';
import { assertFewValues, parseJson } from './parse-json.ts';

/** A body in a file that the process has open. */
export interface LargeBody {
  readonly fd: number;
  readonly size: number;
  /** The name of its operation. */
  readonly operation: string;
  /** The parameters of its path, by their names. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly repeatable: Omit<Repeatable, 'body'>;
}

/** An encoded RPC request. */
export interface LargeRequest {
  readonly payload: Uint8Array<ArrayBuffer>;
  readonly idempotency: Idempotency;
}

/** The `AppError` of a body that is refused. */
export interface Refused {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
}

setFlagsFromString('--expose-gc');
/** A thread that waits for work frees nothing by itself, and a body takes several times its size. */
const freeMemory = runInNewContext('gc') as () => void;

/** Between its steps the memory of what the next one does not need is freed, so that they take less at once. */
function read(large: LargeBody): LargeRequest {
  const { prepared, request, idempotency } = requestOf(large);
  freeMemory();
  return { payload: alone(encodeRequest(prepared.rpc, request)), idempotency };
}

function requestOf({ fd, size, operation, params, repeatable }: LargeBody) {
  const body = Buffer.allocUnsafeSlow(size);
  if (readSync(fd, body, 0, size, 0) < size) throw new AppError('unavailable');
  assertFewValues(body);
  const prepared = prepareOperation(operation, operations[operation] as never);
  const input = prepared.operation.input && parseJson(body);
  freeMemory();
  const request = requestFor(prepared, input, params);
  return { prepared, request, idempotency: idempotencyFor({ ...repeatable, body }) };
}

/** The bytes in memory of their own, which can be handed to another thread. */
const alone = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.byteLength === bytes.buffer.byteLength ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);

function answer(body: LargeBody): void {
  try {
    const request = read(body);
    parentPort?.postMessage(request, [request.payload.buffer]);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, details } = error;
    parentPort?.postMessage({ code, details } satisfies Refused);
  }
  freeMemory();
}

// On Linux this is the priority of this thread alone: the event loop comes first.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
parentPort?.on('message', answer);
parentPort?.postMessage('ready');
