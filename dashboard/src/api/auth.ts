import { createAuthClient } from 'better-auth/client';
import { inferAdditionalFields, twoFactorClient } from 'better-auth/client/plugins';
import { Problem } from './problem.ts';

/** Sign-in and all that belongs to it, by the client of the library that answers at /api/auth. */
export const auth = createAuthClient({
  basePath: '/api/auth',
  plugins: [twoFactorClient(), inferAdditionalFields({ user: { organization_name: { type: 'string', required: false } } })],
});

interface Outcome<T> {
  readonly data: T | null;
  /** Our envelope with the status, whatever the library's own types say of it. */
  readonly error: { readonly status: number; readonly code?: string | undefined } | null;
}

/** What it answered; throws a `Problem` when it refused. */
export async function authAnswer<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  const { data, error } = await outcome.catch((thrown: unknown) => {
    throw Problem.of(thrown);
  });
  if (error !== null) throw new Problem(error.status, error);
  return data as T;
}
