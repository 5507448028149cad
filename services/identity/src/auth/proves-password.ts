import { passwordMatches } from '../accounts/password.ts';
import { currentRequest } from './current-request.ts';

/** Whether the password is the one of the hash; if so, the request is known to have proven that one. */
export async function provesPassword({ hash, password }: { hash: string; password: string }): Promise<boolean> {
  const matches = await passwordMatches(password, hash);
  const request = currentRequest.getStore();
  if (matches && request !== undefined) request.provenHash = hash;
  return matches;
}
