import { AppError } from '@webkiln/contract';
import { within, withSpan } from '@webkiln/runtime';
import mongoose from 'mongoose';

const { MongoError, MongoServerError } = mongoose.mongo;

const lost = [
  mongoose.mongo.MongoNetworkError,
  mongoose.mongo.MongoServerSelectionError,
  mongoose.mongo.MongoNotConnectedError,
  mongoose.mongo.MongoTopologyClosedError,
  mongoose.mongo.MongoExpiredSessionError,
];
/** The "state change", "shutdown" and "retryable read" codes of the driver specifications; 94 is NotYetInitialized. */
const handingOver = new Set<unknown>([6, 7, 89, 91, 94, 134, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436]);
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
  translated(name, model, () => within(maxOperationMs, operation(), () => new AppError('unavailable')));

/** The same for work of several operations, each with a limit of its own. */
export async function translated<T>(name: string, { collection }: { collection: string }, operation: () => Promise<T>): Promise<T> {
  const attributes = { 'db.system.name': 'mongodb', 'db.operation.name': name, 'db.collection.name': collection };
  try {
    return await withSpan(`${name} ${collection}`, { kind: 'client', attributes }, operation);
  } catch (error) {
    if (isAway(error)) throw new AppError('unavailable', [], { cause: error });
    if (isTooSlow(error)) throw new AppError('overloaded', [], { cause: error });
    throw error;
  }
}

/** Before the first connection mongoose throws a generic error for every operation. */
const isAway = (error: unknown): boolean =>
  mongoose.connection.db === undefined ||
  lost.some((kind) => error instanceof kind) ||
  (error instanceof MongoServerError && handingOver.has(error.code)) ||
  (error instanceof MongoError && !isWriteConflict(error) && passingLabels.some((label) => error.hasErrorLabel(label)));

const isTooSlow = (error: unknown): boolean =>
  error instanceof MongoServerError ? error.code === maxTimeExpired : error instanceof Error && error.name === 'MongoWaitQueueTimeoutError';

/** True when a unique index refused the write; `field` names a field of that index: `isDuplicate(error, 'email')`. */
export function isDuplicate(error: unknown, field?: string): boolean {
  if (!(error instanceof MongoServerError) || !isDuplicateCode(error.code)) return false;
  return field === undefined || (typeof error.keyPattern === 'object' && error.keyPattern !== null && field in error.keyPattern);
}

/** The same for one write of several. */
export const isDuplicateCode = (code: unknown): boolean => code === duplicateKey;

/** True if another transaction wrote to the same record: this one must start again. */
export const isWriteConflict = (error: unknown): boolean => error instanceof MongoServerError && error.code === writeConflict;
