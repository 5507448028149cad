import { hash } from 'node:crypto';
import type { Caller, RaisedEvent } from '@webkiln/messages';
import { retry } from '@webkiln/runtime';
import { defineGlobalModel, isDuplicate, isEditedMeanwhile, saveChange, unscoped } from '@webkiln/store';
import { countAttempt, failureWindowMs, maxFailedAttempts } from './login-attempts.ts';

// Global: attempts are counted per address and email, before the account is known. Stored, so that all replicas share
// one count.
export const LoginAttemptModel = defineGlobalModel<{ failed_at: Date[]; expires_at: Date }>(
  'tries',
  { failed_at: { type: [Date], required: true }, expires_at: { type: Date, required: true } },
  { raisesEvents: true, indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** What attempts are counted by: `account <email>`, also without such an account, `address …` or `session <digest>`. */
export type AttemptSubject = string;

const idOf = (subject: AttemptSubject) => hash('sha256', subject, 'base64url');

/** Counts an attempt against each subject. Returns a function that uncounts it after success. Throws `rate_limited`. */
export async function beginAttempt(caller: Caller, subjects: readonly AttemptSubject[]): Promise<() => Promise<void>> {
  const now = new Date();
  for (const subject of subjects) await countOne(caller, subject, now);
  return async () => {
    for (const subject of subjects) await unscoped(LoginAttemptModel).updateOne({ _id: idOf(subject) }, { $pull: { failed_at: now } });
  };
}

/** Each lost race is another counted attempt, so this ends after `maxFailedAttempts` rounds. */
async function countOne(caller: Caller, subject: AttemptSubject, now: Date): Promise<void> {
  const _id = idOf(subject);
  const expires_at = new Date(now.getTime() + failureWindowMs);
  const attempt = async () => {
    const known = await unscoped(LoginAttemptModel).findOne({ _id });
    const failed_at = countAttempt(known?.failed_at ?? [], now);
    if (known === null) return unscoped(LoginAttemptModel).insert({ _id, failed_at, expires_at });
    const events = blockedEvents(subject, failed_at);
    await saveChange(LoginAttemptModel, caller, known, { state: { failed_at, expires_at }, events });
  };
  const isRaced = (error: unknown) => isDuplicate(error, '_id') || isEditedMeanwhile(error);
  await retry(attempt, { isRetryable: (error) => isRaced(error) && Date.now() < caller.deadlineAt });
}

/** The attempt that uses up an account's limit goes into the audit log. */
function blockedEvents(subject: AttemptSubject, failed_at: readonly Date[]): RaisedEvent[] {
  const [, email] = /^account (.+)$/.exec(subject) ?? [];
  if (email === undefined || failed_at.length < maxFailedAttempts) return [];
  const target = { kind: 'email', id: email, name: null };
  return [{ type: 'internal.audited', data: { actor: { kind: 'unknown', id: '' }, action: 'sign_in.blocked', target, email } }];
}
