import { hash } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { type Caller, Change, type RaisedEvent } from '@webkiln/messages';
import { KeyedMutex, retry } from '@webkiln/runtime';
import { defineGlobalModel, isDuplicate, isEditedMeanwhile, saveChange, unscoped } from '@webkiln/store';
import { failureWindowMs, withoutOne } from './login-attempts.ts';

// Global: attempts are counted per address and email, before the account is known. Stored, so that all replicas share
// one count.
export const LoginAttemptModel = defineGlobalModel<{ failed_at: Date[]; expires_at: Date }>(
  'tries',
  { failed_at: { type: [Date], required: true }, expires_at: { type: Date, required: true } },
  { raisesEvents: true, indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

const idOf = (subject: string) => hash('sha256', subject, 'base64url');

export type CountAttempts = (failed_at: readonly Date[]) => readonly Date[];
export type EventsAt = (failures: number) => RaisedEvent[];

interface Count {
  /** The time by which the attempt is counted. */
  readonly now: Date;
  /** Returns the same list if nothing is to be changed. */
  readonly next: CountAttempts;
  readonly eventsAt?: EventsAt | undefined;
}

const mutex = new KeyedMutex();

/**
 * Returns the number of failures, this attempt included. Each lost race is another counted attempt; the losers of one
 * process take turns, since many at once would lose again and again. Throws `overloaded` at the deadline.
 */
export async function countOne(caller: Caller, subject: string, { now, next, eventsAt = () => [] }: Count): Promise<number> {
  const _id = idOf(subject);
  const expires_at = new Date(now.getTime() + failureWindowMs);
  const attempt = async () => {
    if (Date.now() >= caller.deadlineAt) throw new AppError('overloaded');
    const known = await unscoped(LoginAttemptModel).findOne({ _id });
    const before = known?.failed_at ?? [];
    const failed_at = next(before);
    if (failed_at === before) return failed_at.length;
    if (known === null) await unscoped(LoginAttemptModel).insert({ _id, failed_at: [...failed_at], expires_at });
    else
      await saveChange(
        LoginAttemptModel,
        caller,
        known,
        new Change(
          { failed_at: [...failed_at], expires_at: expires_at > known.expires_at ? expires_at : known.expires_at },
          eventsAt(failed_at.length),
        ),
      );
    return failed_at.length;
  };
  const isRaced = (error: unknown) => isDuplicate(error, '_id') || isEditedMeanwhile(error);
  return attempt().catch((error: unknown) => {
    if (!isRaced(error)) throw error;
    return mutex.run(subject, () => retry(attempt, { isRetryable: isRaced }));
  });
}

/** Takes back an attempt of this time at each of these subjects. Throws as `countOne`. */
export async function uncountAll(caller: Caller, subjects: readonly string[], now: Date): Promise<void> {
  const next: CountAttempts = (failed_at) => withoutOne(failed_at, now);
  await Promise.all(subjects.map((subject) => countOne(caller, subject, { now, next })));
}
