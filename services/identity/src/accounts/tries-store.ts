import { hash } from 'node:crypto';
import { AppError, type RaisedEvent } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { defineGlobalModel, isDuplicate, saveChange, unscoped } from '@webkiln/store';
import { countTry, failureWindowMs, mostFailures } from './tries.ts';

// Global: counted for addresses and emails, before anybody is known; in the store, so that it holds over all replicas.
export const TriesModel = defineGlobalModel<{ failed_at: Date[]; expires_at: Date }>(
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
  for (const each of tried) await countOne(caller, each, now);
  return async () => {
    for (const each of tried) await unscoped(TriesModel).updateOne({ _id: idOf(each) }, { $pull: { failed_at: now } });
  };
}

/** A lost race is another's try that was counted, and of those there are few: this ends. */
async function countOne(caller: Caller, tried: Tried, now: Date): Promise<void> {
  const _id = idOf(tried);
  const expires_at = new Date(now.getTime() + failureWindowMs);
  for (;;) {
    const known = await unscoped(TriesModel).findOne({ _id });
    const failed_at = countTry(known?.failed_at ?? [], now);
    try {
      if (known === null) await unscoped(TriesModel).insert({ _id, failed_at, expires_at });
      else await saveChange(TriesModel, caller, known, { state: { failed_at, expires_at }, events: blocked(tried, failed_at) });
      return;
    } catch (error) {
      const raced = isDuplicate(error, '_id') || (error instanceof AppError && error.code === 'edited_meanwhile');
      if (!raced || caller.deadlineAt <= Date.now()) throw error;
    }
  }
}

/** The last try before an account is blocked is told to the log of who it belongs to. */
function blocked(tried: Tried, failed_at: readonly Date[]): RaisedEvent[] {
  const [, email] = /^account (.+)$/.exec(tried) ?? [];
  if (email === undefined || failed_at.length < mostFailures) return [];
  const target = { kind: 'email', id: email, name: null };
  return [{ type: 'internal.audited', data: { actor: { kind: 'unknown', id: '' }, action: 'sign_in.blocked', target, email } }];
}
