import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { saveWithRetry } from '@webkiln/store';
import { beginAttempt } from '../sign-in/attempts/begin-attempt.ts';
import { hashPassword, passwordMatches } from '../sign-in/password.ts';
import { type AccountState, foldEmail, isVerified } from './account.ts';
import { findOrCreateAccount, saveAccount } from './account-store.ts';

interface Credentials {
  email: string;
  name: string | null;
  password: string;
}

/**
 * Returns the account of a caller who has proved to own the email. A missing account is created, and one without a
 * password gets this one; so does an unverified account, since its password may be a stranger's. Otherwise the password
 * must match. Throws `validation_failed` for a wrong password and `rate_limited` after too many.
 */
export const claimAccount = (caller: Caller, { email, name, password }: Credentials): Promise<AccountState> =>
  saveWithRetry(caller, async () => {
    const account = await findOrCreateAccount(caller, email, name);
    if (account.password_hash === null || !isVerified(account)) {
      return saveAccount(caller, account, { password_hash: await hashPassword(password), email_verified: true });
    }
    const attempt = await beginAttempt(caller, [{ kind: 'invitation', of: foldEmail(email) }]);
    if (!(await passwordMatches(password, account.password_hash))) {
      throw new AppError('validation_failed', [{ path: 'password', message: 'is not the password of the account that this email has' }]);
    }
    await attempt.uncount();
    return account;
  });
