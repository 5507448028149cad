import { AppError } from '@webkiln/contract';
import { within, withSpan } from '@webkiln/runtime';
import mongoose from 'mongoose';

const { MongoBulkWriteError, MongoError, MongoServerError } = mongoose.mongo;

const lost = [
  mongoose.mongo.MongoNetworkError,
  mongoose.mongo.MongoServerSelectionError,
  mongoose.mongo.MongoNotConnectedError,
  mongoose.mongo.MongoTopologyClosedError,
  mongoose.mongo.MongoServerClosedError,
  mongoose.mongo.MongoClientClosedError,
  mongoose.mongo.MongoExpiredSessionError,
];
/** TransactionExceededLifetimeLimitSeconds. MongoDB gives it no label. */
const transactionTooOld = 290;
/** What a socket says that breaks while a large command is written: the driver passes it on as it is. */
const brokenSocket = new Set<unknown>(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED', 'ERR_SOCKET_CLOSED']);
/**
 * The "state change", "shutdown" and "retryable read" codes of the driver specifications; 94 is NotYetInitialized. With
 * a restarted server its cursors are gone (43, 237), and a write may wait for members that are away (64, 100). A write
 * whose transaction has taken too long is interrupted (290).
 */
const handingOver = new Set<unknown>([
  ...[6, 7, 43, 64, 89, 91, 94, 100, 134, 189, 237, 262, transactionTooOld, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436],
]);
/** Labels by which server and driver say that the same operation may succeed on another attempt, after a failover. */
const passingLabels = ['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult'];
const duplicateKey = 11_000;
const maxTimeExpired = 50;
const writeConflict = 112;

/** The driver's own timeouts end an operation earlier. Nothing may wait for ever, even if one of them fails to. */
let maxOperationMs = 20_000;

/** Sets how long `answered` waits for an operation, at most 24 days. */
export function limitOperations(ms: number): void {
  maxOperationMs = ms;
}

/**
 * Runs a store operation, within its time limit. An unreachable database throws `unavailable`; an exhausted connection
 * pool, or a read over its time limit, `overloaded`.
 */
export const answered = <T>(name: string, model: { collection: string }, operation: () => Promise<T>): Promise<T> =>
  translated(name, model, () =>
    within(maxOperationMs, operation(), () => new AppError('unavailable', [], { cause: away(name, model, 'no answer in time') })),
  );

/** The same for work of several operations, each with a limit of its own. */
export async function translated<T>(name: string, model: { collection: string }, operation: () => Promise<T>): Promise<T> {
  const { collection } = model;
  const attributes = { 'db.system.name': 'mongodb', 'db.operation.name': name, 'db.collection.name': collection };
  try {
    return await withSpan(`${name} ${collection}`, { kind: 'client', attributes }, operation);
  } catch (error) {
    const reason = reasonOf(error);
    if (isAway(reason)) throw new AppError('unavailable', [], { cause: away(name, model, (reason as Error).message, error) });
    if (isTooSlow(reason)) throw new AppError('overloaded', [], { cause: away(name, model, (reason as Error).message, error) });
    throw error;
  }
}

/** Names MongoDB and the operation for logs: the driver's own errors may name neither. */
const away = (name: string, { collection }: { collection: string }, reason: string, cause?: unknown) =>
  new Error(`MongoDB: ${name} ${collection}: ${reason}`, { cause });

/** The driver's error behind one that `translated` has thrown. */
export const driverErrorOf = ({ cause }: AppError): unknown => (cause instanceof Error ? cause.cause : undefined);

/** What broke an operation off: for a bulk write the driver wraps it in an error of another kind. */
export const reasonOf = (error: unknown): unknown =>
  error instanceof MongoBulkWriteError && error.errorResponse instanceof MongoError ? error.errorResponse : error;

/** Before the first connection mongoose throws a generic error for every operation. */
const isAway = (error: unknown): boolean =>
  mongoose.connection.db === undefined ||
  lost.some((kind) => error instanceof kind) ||
  (error instanceof MongoError && error.name === 'MongoPoolClosedError') ||
  brokenSocket.has((error as { code?: unknown } | undefined)?.code) ||
  (error instanceof MongoServerError && handingOver.has(error.code)) ||
  (error instanceof MongoError && !isWriteConflict(error) && passingLabels.some((label) => error.hasErrorLabel(label)));

/** True if MongoDB was not reached, or not in time, so that another attempt may reach it. */
export const isUnreached = (error: unknown): boolean => lost.some((kind) => error instanceof kind) || isTooSlow(error);

const isTooSlow = (error: unknown): boolean =>
  error instanceof MongoServerError ? error.code === maxTimeExpired : error instanceof Error && error.name === 'MongoWaitQueueTimeoutError';

/** True when a unique index refused the write; `field` names a field of that index: `isDuplicate(error, 'email')`. */
export function isDuplicate(error: unknown, field?: string): boolean {
  if (!(error instanceof MongoServerError) || !isDuplicateCode(error.code)) return false;
  return field === undefined || (typeof error.keyPattern === 'object' && error.keyPattern !== null && field in error.keyPattern);
}

/** The same for one write of several. */
export const isDuplicateCode = (code: unknown): boolean => code === duplicateKey;

/** True if MongoDB interrupted a write because its transaction had taken too long: nothing of it is kept. */
export const isTransactionTooOld = (error: unknown): boolean => error instanceof MongoServerError && error.code === transactionTooOld;

/** True if another transaction wrote to the same record: this one must start again. */
export const isWriteConflict = (error: unknown): boolean => error instanceof MongoServerError && error.code === writeConflict;
