import { AppError } from '@webkiln/contract';

/** A person's sign-in, for all organizations. */
export interface AccountState {
  _id: string;
  email: string;
  /** The email whatever its case: what uniqueness and look-ups go by. */
  email_folded: string;
  name: string | null;
  /** null until the person has chosen a password. */
  password_hash: string | null;
  /** When a password was tried that did not turn out right, oldest first, over the last minutes. */
  failed_at: Date[];
  created_at: Date;
}

export type AccountDraft = Pick<AccountState, '_id' | 'email' | 'name'>;

const mostFailures = 20;
const failureWindowMinutes = 10;

export const foldEmail = (email: string) => email.toLowerCase();

export const openAccount = (draft: AccountDraft, now: Date): AccountState => ({
  ...draft,
  email_folded: foldEmail(draft.email),
  password_hash: null,
  failed_at: [],
  created_at: now,
});

/**
 * A try is counted as a failure before its password is looked at, so that tries at once cannot pass together.
 * Throws `rate_limited` after 20 failures within 10 minutes.
 */
export function countTry({ failed_at }: Pick<AccountState, 'failed_at'>, now: Date): Pick<AccountState, 'failed_at'> {
  const since = now.getTime() - failureWindowMinutes * 60_000;
  const recent = failed_at.filter((at) => at.getTime() > since);
  if (recent.length < mostFailures) return { failed_at: [...recent, now] };
  throw new AppError('rate_limited', [
    { path: 'password', message: `was wrong too often: wait ${failureWindowMinutes} minutes and try again` },
  ]);
}
