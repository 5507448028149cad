import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '@webkiln/contract';
import mongoose from 'mongoose';
import { bookkeeping } from './indexes.ts';
import type { Session } from './scope.ts';
import { answered, isDuplicate, isWriteConflict } from './store-errors.ts';

const keptSeconds = 8 * 24 * 3600;
const triesMost = 5;
const triesWithinMs = 250;

const handled = bookkeeping<{ _id: string; handled_at: Date }>('handled_events', [
  [{ handled_at: 1 }, { expireAfterSeconds: keptSeconds }],
]);

/**
 * Makes an effect once per key, for 8 days: what it writes with the session and the claim of the key are one transaction. Returns false
 * when it was made before. It starts with the first use of the session: an effect does what takes long before that, because records it
 * wrote to stay locked if the process dies, until MongoDB gives the transaction up (`transactionLifetimeLimitSeconds`).
 */
export async function onlyOnce(key: string, effect: (session: Session) => Promise<void>): Promise<boolean> {
  const known = await answered('find', handled, () => handled.rows().findOne({ _id: key }));
  if (known !== null) return false;
  for (let tried = 1; ; tried++) {
    try {
      return await answered('transaction', handled, () =>
        mongoose.connection.getClient().withSession((session) => make(session, key, effect)),
      );
    } catch (error) {
      if (!isWriteConflict(error)) throw error;
      if (tried === triesMost) throw new AppError('overloaded', [], { cause: error });
      await pause(Math.random() * triesWithinMs);
    }
  }
}

/**
 * Does what no transaction of ours can span (a mail, say) once per key, for 8 days, and notes it: a process that dies between the two
 * leaves it to be done again. Returns false when it was noted before.
 */
export async function doneOnce(key: string, act: () => Promise<void>): Promise<boolean> {
  const known = await answered('find', handled, () => handled.rows().findOne({ _id: key }));
  if (known !== null) return false;
  await act();
  const note = { $setOnInsert: { handled_at: new Date() } };
  await answered('update', handled, () => handled.rows().updateOne({ _id: key }, note, { upsert: true }));
  return true;
}

/** The claim comes last: of two that make the effect at once, the one whose claim is refused takes everything back. */
async function make(session: Session, key: string, effect: (session: Session) => Promise<void>): Promise<boolean> {
  let claiming = false;
  session.startTransaction();
  try {
    await effect(session);
    claiming = true;
    await handled.rows().insertOne({ _id: key, handled_at: new Date() }, { session });
    await session.commitTransaction();
    return true;
  } catch (error) {
    await session.abortTransaction().catch(() => undefined);
    if (claiming && isDuplicate(error, '_id')) return false;
    throw error;
  }
}
