import { AsyncLocalStorage } from 'node:async_hooks';
import type { AppError } from '@webkiln/contract';
import { passwordMatches } from '../accounts/password.ts';
import type { CountedAttempt } from './login-attempt-store.ts';

export interface CurrentRequest {
  /** Below /api/auth: "/sign-in/email". */
  readonly path: string;
  /** The hash that the given password matched. A concurrent request may replace it before this one ends. */
  verifiedHash?: string;
  /** The attempt with a code of the second factor, as its account counts it. */
  codeAttempt?: CountedAttempt;
  /** Why a hook of ours refused it: the library answers 500 to errors that are not its own. */
  refusal?: AppError;
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
