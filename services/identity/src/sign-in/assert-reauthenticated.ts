import { APIError } from 'better-auth/api';
import { accountById } from '../accounts/account-store.ts';
import { passwordMatches } from '../accounts/password.ts';

const freshMs = 10 * 60_000;

interface Asking {
  readonly user: { readonly id: string };
  readonly session: { readonly createdAt: Date };
}

/** That it is the person, and not somebody at a browser that was left open: who signed in a moment ago, or gives the password. */
export async function assertProven({ user, session }: Asking, password: string | undefined): Promise<void> {
  if (password === undefined) {
    if (Date.now() - session.createdAt.getTime() < freshMs) return;
    throw new APIError('FORBIDDEN', { code: 'PASSWORD_NEEDED', message: 'You signed in a while ago: enter your password' });
  }
  const account = await accountById(user.id);
  if (account?.password_hash && (await passwordMatches(password, account.password_hash))) return;
  throw new APIError('BAD_REQUEST', { code: 'INVALID_PASSWORD', message: 'Invalid password' });
}
