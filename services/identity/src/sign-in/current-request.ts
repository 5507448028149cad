import { AsyncLocalStorage } from 'node:async_hooks';
import { passwordMatches } from '../accounts/password.ts';

interface CurrentRequest {
  /** Below /api/auth: "/sign-in/email". */
  readonly path: string;
  /** The hash that the given password matched. A concurrent request may replace it before this one ends. */
  verifiedHash?: string;
}

/** The request that the sign-in library is handling: it calls our store without it. */
export const currentRequest = new AsyncLocalStorage<CurrentRequest>();

/** Checks a password and, if it matches, records its hash in the current request. */
export async function verifyPassword({ hash, password }: { hash: string; password: string }): Promise<boolean> {
  const matches = await passwordMatches(password, hash);
  const request = currentRequest.getStore();
  if (matches && request !== undefined) request.verifiedHash = hash;
  return matches;
}
