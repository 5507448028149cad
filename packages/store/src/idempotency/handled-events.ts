import { AppError } from '@webkiln/contract';
import { retry } from '@webkiln/runtime';
import mongoose from 'mongoose';
import { bookkeeping } from '../model/indexes.ts';
import type { Session } from '../model/scope.ts';
import { answered, isDuplicate, isWriteConflict } from '../store-errors.ts';

const keptSeconds = 8 * 24 * 3600;
const maxAttempts = 7;
const firstBackoffMs = 50;

const handled = bookkeeping<{ _id: string; handled_at: Date }>('handled_events', [
  [{ handled_at: 1 }, { expireAfterSeconds: keptSeconds }],
]);

/**
 * Runs a transactional handler once per key, for 8 days: its writes with the session and the record of the key are one
 * transaction. Returns false if the key was handled before. The transaction starts with the first use of the session. A
 * handler does slow work before that: its locks outlive a crash of the process until MongoDB ends the transaction
 * (`transactionLifetimeLimitSeconds`). Throws `overloaded` after seven write conflicts.
 */
export async function runInTransactionOnce(key: string, handler: (session: Session) => Promise<void>): Promise<boolean> {
  if (await wasHandled(key)) return false;
  const attempt = () =>
    answered('transaction', handled, () => mongoose.connection.getClient().withSession((session) => runIn(session, key, handler)));
  return retry(attempt, {
    isRetryable: isWriteConflict,
    maxAttempts,
    delayMs: backoffMs,
    exhausted: (cause) => new AppError('overloaded', [], { cause }),
  });
}

/**
 * Doubles with each attempt, half of it at random: the transaction that holds the record has at least 1.5 s to commit.
 */
const backoffMs = (attempt: number): number => firstBackoffMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);

/**
 * Runs a handler whose effect lies outside the database (a mail, say), then records the key for 8 days. Returns false
 * if the key was recorded before. A process that dies in between leaves the handler to be run again.
 */
export async function runAtLeastOnce(key: string, handler: () => Promise<void>): Promise<boolean> {
  if (await wasHandled(key)) return false;
  await handler();
  const update = { $setOnInsert: { handled_at: new Date() } };
  await answered('update', handled, () => handled.rows().updateOne({ _id: key }, update, { upsert: true }));
  return true;
}

const wasHandled = async (key: string): Promise<boolean> =>
  (await answered('find', handled, () => handled.rows().findOne({ _id: key }))) !== null;

/** The key is inserted last: of two that run at once, the one whose insert is refused rolls everything back. */
async function runIn(session: Session, key: string, handler: (session: Session) => Promise<void>): Promise<boolean> {
  let isInserting = false;
  session.startTransaction();
  try {
    await handler(session);
    isInserting = true;
    await handled.rows().insertOne({ _id: key, handled_at: new Date() }, { session });
    await session.commitTransaction();
    return true;
  } catch (error) {
    await session.abortTransaction().catch(() => undefined);
    if (isInserting && isDuplicate(error, '_id')) return false;
    throw error;
  }
}
