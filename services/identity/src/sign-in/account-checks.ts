import { APIError } from 'better-auth/api';
import { accountById } from '../accounts/account-store.ts';
import { passwordMatches } from './password.ts';

/**
 * Throws `ACCOUNT_LOCKED` if an operator has locked the account or is deleting it. Call it only for a caller who
 * has proved to be its owner: others get the answer of a wrong password, so that it does not tell which accounts exist.
 */
export async function assertNotLocked(account_id: string): Promise<void> {
  const account = await accountById(account_id);
  if (!account?.locked_at && !account?.deleted_at) return;
  const message = 'This account is locked. Ask the operator of this platform.';
  throw new APIError('FORBIDDEN', { code: 'ACCOUNT_LOCKED', message });
}

const maxSessionAgeMs = 10 * 60_000;

interface AuthenticatedSession {
  readonly user: { readonly id: string };
  readonly session: { readonly createdAt: Date };
}

/** Requires a sign-in within the last 10 minutes or the password, so that an unattended browser is not enough. */
export async function assertReauthenticated({ user, session }: AuthenticatedSession, password: string | undefined): Promise<void> {
  if (password === undefined) {
    if (Date.now() - session.createdAt.getTime() < maxSessionAgeMs) return;
    throw new APIError('FORBIDDEN', { code: 'PASSWORD_NEEDED', message: 'You signed in a while ago: enter your password' });
  }
  const account = await accountById(user.id);
  if (account?.password_hash && (await passwordMatches(password, account.password_hash))) return;
  throw new APIError('BAD_REQUEST', { code: 'INVALID_PASSWORD', message: 'Invalid password' });
}
