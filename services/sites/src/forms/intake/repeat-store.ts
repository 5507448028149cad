import { randomUUID } from 'node:crypto';
import { retry } from '@webkiln/runtime';
import { defineModel, isDuplicate, type Scope, scoped, where } from '@webkiln/store';

/** Maps the hash of a sent form to its submission, so that a repeat within the window gets the same id. */
interface Repeat {
  _id: string;
  org_id: string;
  submission_id: string;
  at: Date;
  expire_at: Date;
}

export const RepeatModel = defineModel<Repeat>(
  'form_repeats',
  {
    submission_id: { type: String, required: true },
    at: { type: Date, required: true },
    expire_at: { type: Date, required: true },
  },
  { exportedAs: null, indexesAcross: [[{ expire_at: 1 }, { expireAfterSeconds: 0 }]] },
);

const repeatWindowMs = 10_000;
const retentionMs = 60_000;

/** The first of equal submissions of the last 10 s. */
const firstOf = (scope: Scope, digest: string, now: Date) =>
  scoped(RepeatModel, scope).findOne({ _id: digest, at: where({ $gt: new Date(now.getTime() - repeatWindowMs) }) });

export const isRepeat = async (scope: Scope, digest: string, now: Date): Promise<boolean> => (await firstOf(scope, digest, now)) !== null;

/**
 * Returns a new id, or the id of an equal submission of the last 10 s, which may not be stored if its process died.
 * `digest` is a hash over project, form, fields and the visitor's pseudonym.
 */
export async function submissionIdFor(scope: Scope, digest: string, now: Date): Promise<{ id: string; repeated: boolean }> {
  const repeats = scoped(RepeatModel, scope);
  const windowStart = new Date(now.getTime() - repeatWindowMs);
  const own = { submission_id: randomUUID(), at: now, expire_at: new Date(now.getTime() + retentionMs) };
  const attempt = async () => {
    const first = await firstOf(scope, digest, now);
    if (first !== null) return { id: first.submission_id, repeated: true };
    await repeats.updateOne({ _id: digest, at: where({ $lte: windowStart }) }, { $set: own }, { upsert: true });
    return { id: own.submission_id, repeated: false };
  };
  // The upsert fails as a duplicate if an equal submission came first: the next attempt finds it.
  return retry(attempt, { isRetryable: (error) => isDuplicate(error, '_id') });
}
