/** The program of the threads that read large bodies. */
import { readSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import { AppError, type ErrorCode, type ErrorDetail, operations } from '@webkiln/contract';
import type { Idempotency } from '@webkiln/messages';
import { idempotencyFor, parseJson, prepareOperation, type Repeatable, requestFor } from '@webkiln/operations';
import { encodeRequest } from '@webkiln/rpc/methods';
import { assertFewValues } from './few-values.ts';
import { readSiteZip } from './site-zip.ts';

/** A body in a file that the process has open. */
export interface LargeBody {
  readonly fd: number;
  readonly size: number;
  /** It is a zip of the files of a site, else JSON. */
  readonly isZip: boolean;
  /** The name of its operation. */
  readonly operation: string;
  /** The parameters of its path, by their names. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** Undefined for an operation that takes no Idempotency-Key. */
  readonly repeatable: Omit<Repeatable, 'body'> | undefined;
}

/** An encoded RPC request. */
export interface LargeRequest {
  readonly payload: Uint8Array<ArrayBuffer>;
  readonly idempotency: Idempotency | undefined;
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
async function read(large: LargeBody): Promise<LargeRequest> {
  const { prepared, request, idempotency } = large.isZip ? await requestOfZip(large) : requestOf(large);
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
  return { prepared, request, idempotency: repeatable && idempotencyFor({ ...repeatable, body, values: input }) };
}

async function requestOfZip({ fd, operation, params }: LargeBody) {
  const prepared = prepareOperation(operation, operations[operation] as never);
  const request = requestFor(prepared, { files: await readSiteZip(fd) }, params);
  return { prepared, request, idempotency: undefined };
}

/** The bytes in memory of their own, which can be handed to another thread. */
const alone = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.byteLength === bytes.buffer.byteLength ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);

async function answer(body: LargeBody): Promise<void> {
  try {
    const request = await read(body);
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
