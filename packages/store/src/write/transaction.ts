import { AppError } from '@webkiln/contract';
import { retry } from '@webkiln/runtime';
import mongoose from 'mongoose';
import type { Session } from '../model/scope.ts';
import { isWriteConflict, translated } from '../store-errors.ts';

const maxAttempts = 7;
const firstBackoffMs = 50;

/**
 * Runs writes with the session as one transaction: all or none. It starts with the first use of the session. `work`
 * does slow work before that: its locks outlive a crash of the process until MongoDB ends the transaction
 * (`transactionLifetimeLimitSeconds`). After a write conflict it runs again. Throws `overloaded` after seven, or what
 * `work` throws.
 */
export const inTransaction = <R>(model: { collection: string }, work: (session: Session) => Promise<R>): Promise<R> =>
  retry(() => translated('transaction', model, () => mongoose.connection.getClient().withSession((session) => attempt(session, work))), {
    isRetryable: isWriteConflict,
    maxAttempts,
    delayMs: backoffMs,
    exhausted: (cause) => new AppError('overloaded', [], { cause }),
  });

/**
 * Doubles with each attempt, half of it at random: the transaction that holds the record has at least 1.5 s to commit.
 */
const backoffMs = (failedAttempts: number): number => firstBackoffMs * 2 ** (failedAttempts - 1) * (0.5 + Math.random() / 2);

async function attempt<R>(session: Session, work: (session: Session) => Promise<R>): Promise<R> {
  session.startTransaction();
  try {
    const result = await work(session);
    await session.commitTransaction();
    return result;
  } catch (error) {
    await session.abortTransaction().catch(() => undefined);
    throw error;
  }
}
