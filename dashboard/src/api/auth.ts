import type { auth } from './auth-client.ts';
import { Problem } from './problem.ts';

type Auth = typeof auth;

interface Outcome<T> {
  readonly data: T | null;
  /** Our envelope with the status, whatever the library's own types say of it. */
  readonly error: { readonly status: number; readonly code?: string | undefined } | null;
}

/** What the sign-in library's client was answered; throws a `Problem` when it was refused. The client's code is loaded when it is first needed. */
export async function authAnswer<T>(ask: (auth: Auth) => Promise<Outcome<T>>): Promise<T> {
  const asked = async () => ask((await import('./auth-client.ts')).auth);
  const { data, error } = await asked().catch((thrown: unknown) => {
    throw Problem.of(thrown);
  });
  if (error !== null) throw new Problem(error.status, error);
  return data as T;
}
