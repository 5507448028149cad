import { batched } from '@webkiln/runtime';
import { bookkeeping } from '../model/models.ts';
import type { Session } from '../model/scope.ts';
import { answered, isDuplicate, isDuplicateCode } from '../store-errors.ts';
import { insertEach } from '../write/batched-writes.ts';
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
  const [isDone] = await runTogetherOnce([key], String, (_keys, session) => handler(session));
  return isDone === true;
}

/**
 * Runs a transactional handler for several items in one transaction, with those of them whose keys were not handled
 * before; returns for each whether it was now. If it throws, nothing of any item is done. Of several items with a key
 * that is handled at once elsewhere, it throws, too.
 */
export async function runTogetherOnce<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  handler: (items: readonly T[], session: Session) => Promise<void>,
): Promise<boolean[]> {
  const before = await handledAmong(items.map(keyOf));
  const fresh = items.filter((item) => !before.has(keyOf(item)));
  if (fresh.length === 0) return items.map(() => false);
  let isInserting = false;
  try {
    await inTransaction(handled, async (session) => {
      isInserting = false;
      await handler(fresh, session);
      isInserting = true;
      const handled_at = new Date();
      await handled.rows().insertMany(
        fresh.map((item) => ({ _id: keyOf(item), handled_at })),
        { session },
      );
    });
    return items.map((item) => !before.has(keyOf(item)));
  } catch (error) {
    if (isInserting && items.length === 1 && isDuplicate(error)) return [false];
    throw error;
  }
}

/**
 * Runs a handler whose effect lies outside the database (a mail, say), then records the key for 8 days. Returns false
 * if the key was recorded before. A process that dies in between leaves the handler to be run again.
 */
export async function runAtLeastOnce(key: string, handler: () => Promise<void>): Promise<boolean> {
  if (await isHandled(key)) return false;
  await handler();
  await record(key);
  return true;
}

/** Handlers that end within it are recorded together, and those that wait for them begin together. */
const recordLingerMs = 10;

/** One insert. A record that is there already is of another delivery of the event. */
const record = batched<string, void>(
  (keys) =>
    answered('insertMany', handled, async () => {
      const handled_at = new Date();
      const rows = [...new Set(keys)].map((_id) => ({ _id, handled_at }));
      const refused = (await insertEach(handled.rows(), rows)).find((error) => error !== undefined && !isDuplicateCode(error.code));
      if (refused !== undefined) throw new Error(refused.errmsg);
      return keys.map(() => undefined);
    }),
  { lingerMs: recordLingerMs },
);

/** Reads of one event-loop tick share a query. */
const isHandled = batched<string, boolean>(async (keys) => {
  const found = await handledAmong(keys);
  return keys.map((key) => found.has(key));
});

async function handledAmong(keys: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await answered('find', handled, () =>
    handled
      .rows()
      .find({ _id: { $in: [...keys] } }, { projection: { _id: 1 } })
      .toArray(),
  );
  return new Set(found.map(({ _id }) => _id));
}
