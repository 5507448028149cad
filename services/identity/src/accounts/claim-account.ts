import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { type AccountState, foldEmail, isVerified } from './account.ts';
import { accountFor, saveAccount } from './account-store.ts';
import { hashPassword, passwordMatches } from './password.ts';
import { beginTry } from './tries-store.ts';

interface Credentials {
  email: string;
  name: string | null;
  password: string;
}

/**
 * The account of an email whose owner has proved to be that: made, or given its password, where there is none; else the password must
 * match. A password that somebody chose who never proved to read the email's mail is no password. Throws `validation_failed` for a wrong
 * one, `rate_limited` after too many.
 */
export const signIn = (caller: Caller, { email, name, password }: Credentials): Promise<AccountState> =>
  saveWithRetry(caller, async () => {
    const account = await accountFor(caller, email, name);
    if (account.password_hash === null || !isVerified(account)) {
      return saveAccount(caller, account, { password_hash: await hashPassword(password), email_verified: true });
    }
    const forgive = await beginTry(caller, [`account ${foldEmail(email)}`]);
    if (!(await passwordMatches(password, account.password_hash))) {
      throw new AppError('validation_failed', [{ path: 'password', message: 'is not the password of the account that this email has' }]);
    }
    await forgive();
    return account;
  });
