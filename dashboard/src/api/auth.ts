import type { auth } from './auth-client.ts';
import { Problem } from './problem.ts';

type Auth = typeof auth;

interface Outcome<T> {
  readonly data: T | null;
  /** Our error envelope with the status; the library's types differ from it. */
  readonly error: { readonly status: number; readonly code?: string | undefined } | null;
}

/** Calls the sign-in library's client, whose code loads on first use. Throws a `Problem` on an error response. */
export async function callAuth<T>(call: (auth: Auth) => Promise<Outcome<T>>): Promise<T> {
  const outcome = async () => call((await import('./auth-client.ts')).auth);
  const { data, error } = await outcome().catch((thrown: unknown) => {
    throw Problem.of(thrown);
  });
  if (error !== null) throw await Problem.answered(error.status, error);
  return data as T;
}
