import { AppError } from '@webkiln/contract';
import { retry } from '@webkiln/runtime';
import mongoose from 'mongoose';
import type { Session } from '../model/scope.ts';
import { answered, driverErrorOf, isTransactionTooOld, isWriteConflict, reasonOf, translated } from '../store-errors.ts';

const { MongoError, MongoNetworkError, MongoServerSelectionError } = mongoose.mongo;

/** For work that no caller waits for. It outlasts the transaction of a dead process: see `inTransaction`. */
const defaultTimeoutMs = 10_000;
/** Kept for the last attempt and the caller's answer. */
const answerMs = 250;
const firstBackoffMs = 50;
const maxBackoffMs = 250;

interface Deadline {
  /** Epoch milliseconds. */
  readonly deadlineAt?: number | undefined;
}

/**
 * Runs writes with the session as one transaction: all or none. It starts with the first use of the session. `work`
 * does slow work before that: its locks outlive a crash of the process until MongoDB ends the transaction
 * (`transactionLifetimeLimitSeconds`).
 *
 * After a write conflict, a lost connection or an end by MongoDB, `work` runs again until the deadline (10 s without
 * one). A commit whose outcome is unknown is repeated without `work`. Then throws `overloaded` for conflicts,
 * `unavailable` for the rest, or what `work` throws. Only after `unavailable` may the writes have been made: a caller
 * that repeats them puts an id into the transaction that a unique index refuses the second time.
 */
export async function inTransaction<R>(
  model: { collection: string },
  work: (session: Session) => Promise<R>,
  { deadlineAt = Date.now() + defaultTimeoutMs }: Deadline = {},
): Promise<R> {
  if (Date.now() >= deadlineAt) throw new AppError('overloaded');
  const repeating = { delayMs: backoffMs, deadlineAt: deadlineAt - answerMs };
  let isCommitting = false;
  const attempt = async (session: Session): Promise<R> => {
    isCommitting = false;
    session.startTransaction();
    const result = await work(session).catch(async (error: unknown) => {
      await answered('abortTransaction', model, () => session.abortTransaction()).catch(() => undefined);
      throw error;
    });
    isCommitting = true;
    const commit = () => answered('commitTransaction', model, () => session.commitTransaction());
    await retry(commit, { ...repeating, isRetryable: isUnknownOutcome });
    return result;
  };
  return retry(() => translated('transaction', model, () => mongoose.connection.getClient().withSession(attempt)), {
    ...repeating,
    isRetryable: (error) => isTransient(error) || (!isCommitting && isLostConnection(error)),
    exhausted: (error) => (isWriteConflict(error) ? new AppError('overloaded', [], { cause: error }) : (error as Error)),
  });
}

/** Doubles with each attempt, half of it at random, so that those who lost to one transaction do not return at once. */
const backoffMs = (failedAttempts: number): number =>
  Math.min(firstBackoffMs * 2 ** (failedAttempts - 1), maxBackoffMs) * (0.5 + Math.random() / 2);

/** What MongoDB or its driver said, if `answered` has judged it already. */
const original = (error: unknown): unknown => reasonOf(error instanceof AppError ? driverErrorOf(error) : error);

const hasLabel = (error: unknown, label: string): boolean => error instanceof MongoError && error.hasErrorLabel(label);

/** True if MongoDB has surely kept nothing of the transaction. */
const isTransient = (error: unknown): boolean =>
  hasLabel(original(error), 'TransientTransactionError') || isTransactionTooOld(original(error));

/** The driver labels only the first of several connections that break with a server. */
const isLostConnection = (error: unknown): boolean => original(error) instanceof MongoNetworkError;

/** The driver repeats a commit once, and labels neither the failed search for a server nor each lost connection. */
function isUnknownOutcome(error: unknown): boolean {
  const reason = original(error);
  if (isTransient(reason)) return false;
  return (
    hasLabel(reason, 'UnknownTransactionCommitResult') || reason instanceof MongoNetworkError || reason instanceof MongoServerSelectionError
  );
}
