import { bookkeeping } from '../model/indexes.ts';
import type { Session } from '../model/scope.ts';
import { answered, isDuplicate } from '../store-errors.ts';
import { inTransaction } from '../write/transaction.ts';

const keptSeconds = 8 * 24 * 3600;

const handled = bookkeeping<{ _id: string; handled_at: Date }>('handled_events', [
  [{ handled_at: 1 }, { expireAfterSeconds: keptSeconds }],
]);

/**
 * Runs a transactional handler once per key, for 8 days: its writes with the session and the record of the key are one
 * transaction; see `inTransaction`. Returns false if the key was handled before. The key is inserted last: of two that
 * run at once, the one whose insert is refused rolls everything back.
 */
export async function runInTransactionOnce(key: string, handler: (session: Session) => Promise<void>): Promise<boolean> {
  if (await wasHandled(key)) return false;
  let isInserting = false;
  try {
    await inTransaction(handled, async (session) => {
      isInserting = false;
      await handler(session);
      isInserting = true;
      await handled.rows().insertOne({ _id: key, handled_at: new Date() }, { session });
    });
    return true;
  } catch (error) {
    if (isInserting && isDuplicate(error, '_id')) return false;
    throw error;
  }
}

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
