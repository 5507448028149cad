import { AppError } from '@webkiln/contract';

export const mostFailures = 20;
const failureWindowMinutes = 10;
export const failureWindowMs = failureWindowMinutes * 60_000;

/**
 * A try is counted as a failure before it is looked at, so that tries at once cannot pass together. `failed_at`: the tries that did not
 * turn out right, oldest first. Throws `rate_limited` after 20 within 10 minutes.
 */
export function countTry(failed_at: readonly Date[], now: Date): Date[] {
  const since = now.getTime() - failureWindowMs;
  const recent = failed_at.filter((at) => at.getTime() > since);
  if (recent.length < mostFailures) return [...recent, now];
  throw new AppError('rate_limited', [
    { path: 'password', message: `was wrong too often: wait ${failureWindowMinutes} minutes and try again` },
  ]);
}
