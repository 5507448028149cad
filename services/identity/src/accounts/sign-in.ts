import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { type AccountState, countTry } from './account.ts';
import { accountFor, forgetTry, saveAccount } from './account-store.ts';
import { hashPassword, passwordMatches } from './password.ts';

interface Credentials {
  email: string;
  name: string | null;
  password: string;
}

/**
 * The account of an email whose owner has proved to be that: made, or given its password, where there is none; else the password must
 * match. Throws `validation_failed` for a wrong password, `rate_limited` after too many.
 */
export async function signIn(caller: Caller, credentials: Credentials): Promise<AccountState> {
  for (;;) {
    try {
      return await tryOnce(caller, credentials);
    } catch (error) {
      const raced = error instanceof AppError && error.code === 'edited_meanwhile';
      // A lost race is another's try that was counted, and of those there are few: this ends.
      if (!raced || caller.deadlineAt <= Date.now()) throw error;
    }
  }
}

async function tryOnce(caller: Caller, { email, name, password }: Credentials): Promise<AccountState> {
  const account = await accountFor(caller, email, name);
  if (account.password_hash === null) return saveAccount(caller, account, { password_hash: await hashPassword(password) });
  const now = new Date();
  await saveAccount(caller, account, countTry(account, now));
  if (!(await passwordMatches(password, account.password_hash))) {
    throw new AppError('validation_failed', [{ path: 'password', message: 'is not the password of the account that this email has' }]);
  }
  await forgetTry(account._id, now);
  return account;
}
