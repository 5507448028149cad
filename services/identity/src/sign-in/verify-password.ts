import { passwordMatches } from '../accounts/password.ts';
import { currentRequest } from './current-request.ts';

/** Checks a password and, if it matches, records its hash in the current request. */
export async function verifyPassword({ hash, password }: { hash: string; password: string }): Promise<boolean> {
  const matches = await passwordMatches(password, hash);
  const request = currentRequest.getStore();
  if (matches && request !== undefined) request.verifiedHash = hash;
  return matches;
}
