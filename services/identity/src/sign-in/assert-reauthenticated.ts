import { APIError } from 'better-auth/api';
import { accountById } from '../accounts/account-store.ts';
import { passwordMatches } from '../accounts/password.ts';

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
