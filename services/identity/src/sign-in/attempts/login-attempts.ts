import { AppError } from '@webkiln/contract';

export const failureWindowMs = 10 * 60_000;

/** Too many attempts failed; the next is possible after `retryAfterS` seconds. */
export class TooManyAttempts extends AppError {
  readonly retryAfterS: number;

  constructor(waitMs: number) {
    const minutes = Math.ceil(waitMs / 60_000);
    const message = `was wrong too often: wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`} and try again`;
    super('rate_limited', [{ path: 'password', message }]);
    this.retryAfterS = Math.ceil(waitMs / 1000);
  }
}

/** Failed attempts within 10 minutes after which the next is refused, by what they are counted by. */
export const maxFailedAttempts = {
  ...{ address: 20, session: 20, mail: 20, invitation: 10, account: 10, code: 10 },
  // Of OAuth clients: registrations and fetches of their documents, all counted; wrong secrets, codes and tokens.
  ...{ registration: 20, client_document: 20, client: 20 },
} as const;
export type AttemptKind = keyof typeof maxFailedAttempts;

/** An account is slowed by one second per failure from other networks; less than the gateway waits for an answer. */
const maxDelaySeconds = 10;
/** Failures of an account, over all networks, that are kept: enough for the longest delay beside one's own. */
export const maxAccountFailures = maxDelaySeconds + maxFailedAttempts.account;

const recent = (failed_at: readonly Date[], now: Date): Date[] => failed_at.filter((at) => at.getTime() > now.getTime() - failureWindowMs);

/**
 * Adds an attempt to the failed ones, oldest first. An attempt counts as failed until it succeeds, so that concurrent
 * attempts cannot exceed the limit. Throws `TooManyAttempts` once `max` have failed within 10 minutes.
 */
export function countAttempt(failed_at: readonly Date[], now: Date, max: number): Date[] {
  const failures = recent(failed_at, now);
  if (failures.length < max) return [...failures, now];
  const oldest = failures.at(-max) ?? now;
  throw new TooManyAttempts(oldest.getTime() + failureWindowMs - now.getTime());
}

/** Without one of the attempts of this time; the same list if there is none. */
export function withoutOne(failed_at: readonly Date[], time: Date): readonly Date[] {
  const index = failed_at.findIndex((at) => at.getTime() === time.getTime());
  return index < 0 ? failed_at : failed_at.toSpliced(index, 1);
}

/** An account that is slowed the most is written at most once in this time: many networks would contend for it. */
const maxWriteRateMs = 10_000;

/**
 * Adds an attempt to an account's failures over all networks, of which the newest are kept. It refuses nobody. Returns
 * the same list if the account is slowed the most and that was recorded a moment ago.
 */
export function countAccountAttempt(failed_at: readonly Date[], now: Date): readonly Date[] {
  const failures = recent(failed_at, now);
  const newest = failures.at(-1)?.getTime() ?? 0;
  if (failures.length >= maxAccountFailures && now.getTime() - newest < maxWriteRateMs) return failed_at;
  return [...failures, now].slice(-maxAccountFailures);
}

/** Milliseconds by which an attempt is answered late; `total` and `own` include the attempt itself. */
export const delayMs = (total: number, own: number): number => 1000 * Math.min(maxDelaySeconds, Math.max(0, total - own));
