import { AppError } from '@webkiln/contract';

export const maxFailedAttempts = 20;
const failureWindowMinutes = 10;
export const failureWindowMs = failureWindowMinutes * 60_000;

/**
 * Adds an attempt to the failed ones, oldest first. An attempt counts as failed until it succeeds, so that concurrent
 * attempts cannot exceed the limit. Throws `rate_limited` after 20 failures within 10 minutes.
 */
export function countAttempt(failed_at: readonly Date[], now: Date): Date[] {
  const since = now.getTime() - failureWindowMs;
  const recent = failed_at.filter((at) => at.getTime() > since);
  if (recent.length < maxFailedAttempts) return [...recent, now];
  throw new AppError('rate_limited', [
    { path: 'password', message: `was wrong too often: wait ${failureWindowMinutes} minutes and try again` },
  ]);
}
