import { AppError, validate } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { newId, saveWithRetry } from '@webkiln/store';
import { isVerified } from '../accounts/account.ts';
import { type Account, findOrCreateAccount, saveAccount } from '../accounts/account-store.ts';
import { forOperators } from '../authorize.ts';
import { hashPassword, passwordMatches } from '../sign-in/password.ts';
import { NewMember, toMember } from './member.ts';
import { insertMember } from './member-store.ts';

export const addMember = handle(
  'identity.AddMember',
  forOperators(async (request, caller) => {
    const { email, role, password } = validate(NewMember, request);
    const account = await accountWithPassword(caller, email, password);
    const member = await insertMember(caller, { _id: newId(caller, 'member'), account_id: account._id, role, created_at: new Date() });
    return { member: toMember(member, account) };
  }),
);

/** Finds or creates the account. An account that has a password keeps it. */
const accountWithPassword = (caller: Caller, email: string, password: string | undefined): Promise<Account> =>
  saveWithRetry(caller, async () => {
    const account = await findOrCreateAccount(caller, email, null);
    if (password === undefined) return account;
    if (account.password_hash === null || !isVerified(account)) {
      return saveAccount(caller, account, { password_hash: await hashPassword(password), email_verified: true });
    }
    // The same password again: the retry of an attempt that ended before it added the member.
    if (await passwordMatches(password, account.password_hash)) return account;
    throw new AppError('validation_failed', [{ path: 'password', message: 'cannot be set: this person has one already' }]);
  });
