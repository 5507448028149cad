import { hash } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { defineGlobalModel, isDuplicate, saveChange, unscoped } from '@webkiln/store';
import { countTry, failureWindowMs } from './tries.ts';

// Global: counted for addresses and emails, before anybody is known; in the store, so that it holds over all replicas.
const TriesModel = defineGlobalModel<{ failed_at: Date[]; expires_at: Date }>(
  'tries',
  { failed_at: { type: [Date], required: true }, expires_at: { type: Date, required: true } },
  { indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** What is tried, and by or against whom: `account <email>`, whether there is one or not, or `address <address>`. */
export type Tried = string;

const idOf = (tried: Tried) => hash('sha256', tried, 'base64url');

/** Counts one try against each of `tried`; throws `rate_limited` where one has had too many. Gives what takes the try back once it turned out right. */
export async function beginTry(caller: Caller, tried: readonly Tried[]): Promise<() => Promise<void>> {
  const now = new Date();
  for (const each of tried) await countOne(caller, idOf(each), now);
  return async () => {
    for (const each of tried) await unscoped(TriesModel).updateOne({ _id: idOf(each) }, { $pull: { failed_at: now } });
  };
}

/** A lost race is another's try that was counted, and of those there are few: this ends. */
async function countOne(caller: Caller, _id: string, now: Date): Promise<void> {
  const expires_at = new Date(now.getTime() + failureWindowMs);
  for (;;) {
    const known = await unscoped(TriesModel).findOne({ _id });
    const failed_at = countTry(known?.failed_at ?? [], now);
    try {
      if (known === null) await unscoped(TriesModel).insert({ _id, failed_at, expires_at });
      else await saveChange(TriesModel, caller, known, { state: { failed_at, expires_at }, events: [] });
      return;
    } catch (error) {
      const raced = isDuplicate(error, '_id') || (error instanceof AppError && error.code === 'edited_meanwhile');
      if (!raced || caller.deadlineAt <= Date.now()) throw error;
    }
  }
}
